package mambridge.testing;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import mambridge.Client;
import mambridge.SandboxMethods;
import mambridge.types.NetworkAnswer;
import mambridge.types.NetworkApp;
import mambridge.types.NetworkRequest;
import mambridge.types.SandboxNetwork;

/**
 * The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
 *
 * <p>It ends with the sandbox, with all that it keeps on disk. When a verb of the sandbox returns, the
 * network has read what the verb changed.
 */
public final class Network {
    /** Addresses and ids to configure an app with. */
    public final String url;
    public final String authority;
    public final String clientId;
    public final String graph;
    public final String tenantId;
    /** The path of the certificate to trust. */
    public final String certificate;
    /** The token for what is below {@code /dev}. */
    public final String secret;

    private final Sandbox sandbox;
    private final SandboxMethods methods;
    private final Map<String, String> environment;

    Network(Sandbox sandbox) {
        this.sandbox = sandbox;
        methods = sandbox.client().sandbox();
        SandboxNetwork served = methods.network();
        url = served.url();
        authority = served.authority();
        clientId = served.clientId();
        graph = served.graph();
        tenantId = served.tenantId();
        certificate = served.certificate();
        secret = served.secret();
        environment = served.environment();
    }

    /** The variables with which programs trust the certificate and find mambridge-tenant. */
    public Map<String, String> environment() {
        return environment;
    }

    /** An access token of a user, for the service and for Graph. */
    public String token(String user) {
        return methods.networkToken(Sandbox.fullName(user));
    }

    /** Starts a server with a state of its own, whose policy source is the service; the user is signed in. */
    public Client join(String user) {
        return join(user, builder -> { });
    }

    public Client join(String user, Consumer<Client.Builder> settings) {
        NetworkApp app = methods.networkApp(Sandbox.fullName(user));
        return sandbox.start(app.environment(), app.arguments(), settings);
    }

    /** Makes checkIn, graph, token or keys fail, as {@code mambridge-tenant dev --help} says. */
    public void fault(String at, String kind) {
        methods.networkFault(at, kind);
    }

    /** The same with options: {@code fault -> fault.times(1).delay("PT1.5S")}. */
    public void fault(String at, String kind, Consumer<SandboxMethods.NetworkFaultOptions> options) {
        methods.networkFault(at, kind, options);
    }

    /** Ends all faults. */
    public void clearFaults() {
        methods.clearNetworkFaults();
    }

    /** The last requests. */
    public List<NetworkRequest> requests() {
        return methods.networkRequests();
    }

    /** Sends a request to the service or to Graph, with a token, and with JSON or null. */
    public NetworkAnswer send(String method, String path, String token, String body) {
        return methods.networkSend(method, path, given -> given.token(token).body(body));
    }

    /** What the service has written to its log. */
    public String log() {
        return methods.networkLog();
    }
}
