package mambridge.testing;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import mambridge.Client;
import mambridge.errors.ConnectionException;

/**
 * The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
 *
 * <p>It ends with the sandbox, with all that it keeps on disk. Changes of the sandbox count after {@link #reload}. What
 * cannot be done is a {@link ConnectionException}, which says why.
 */
public final class Network {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(20);
    /** How many requests a report has. */
    private static final int LAST = 20;
    private static final Gson GSON = new Gson();

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

    private final String program =
        SandboxOptions.path(SandboxOptions.variable("MAMBRIDGE_TENANT_PROGRAM", "mambridge-tenant"));
    private final SandboxOptions options;
    private final Process process;
    private final Path log;
    private final HttpClient http;
    private final String state;
    private final List<Client> joined = new ArrayList<>();

    /** A request that somebody sent. {@code who}, {@code why} and {@code fault} may be null. */
    public record Request(String method, String path, int status, String who, String why, String fault) {
        @Override
        public String toString() {
            String reason = fault == null ? why : fault;
            return method + " " + path + (who == null ? "" : " by " + who) + ": " + status
                + (reason == null ? "" : ", " + reason);
        }
    }

    private record Requests(List<Request> requests) { }

    private record Refusal(Reason error) { }

    private record Reason(String message) { }

    Network(String tenant, SandboxOptions options) {
        this.options = options;
        // In the folder of the sandbox, which goes with it.
        log = Path.of(tenant).resolveSibling("network.log");
        process = start(tenant);
        try {
            Map<?, ?> said = said();
            url = (String) said.get("service");
            authority = (String) said.get("authority");
            clientId = (String) said.get("clientId");
            graph = (String) said.get("graph");
            tenantId = (String) said.get("tenantId");
            certificate = (String) said.get("certificate");
            state = (String) said.get("state");
            Path file = Path.of((String) said.get("secretFile"));
            secret = (String) GSON.fromJson(Files.readString(file), Map.class).get("secret");
            http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY)
                .sslContext(trusting(certificate)).build();
        } catch (IOException | GeneralSecurityException | JsonParseException error) {
            process.destroyForcibly();
            close();
            String reason = log().isBlank() ? error.getMessage() : log().strip();
            throw new ConnectionException(program + " does not serve a development tenant: " + reason);
        }
    }

    private Process start(String tenant) {
        if (!SandboxOptions.isThere(program)) {
            throw new ConnectionException("cannot start " + program + ": there is no such program. Install "
                + "mambridge-tenant, or name the program with MAMBRIDGE_TENANT_PROGRAM in the environment");
        }
        try {
            return new ProcessBuilder(
                program, "dev", "--ephemeral", "--json", "--until-stdin-ends", "--tenant", tenant)
                .redirectError(log.toFile()).start();
        } catch (IOException error) {
            throw new ConnectionException("cannot start " + program + ": " + error.getMessage());
        }
    }

    private Map<?, ?> said() throws IOException {
        Executor later = CompletableFuture.delayedExecutor(START.toSeconds(), TimeUnit.SECONDS);
        CompletableFuture<?> late = CompletableFuture.runAsync(process::destroyForcibly, later);
        String line = process.inputReader(StandardCharsets.UTF_8).readLine();
        late.cancel(false);
        if (line == null) {
            throw new IOException("it has printed no addresses");
        }
        return GSON.fromJson(line, Map.class);
    }

    private static SSLContext trusting(String certificate) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null);
        try (InputStream file = Files.newInputStream(Path.of(certificate))) {
            trusted.setCertificateEntry("service", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    // Apps

    /** The variables with which programs trust the certificate and find mambridge-tenant. */
    public Map<String, String> environment() {
        Path folder = Path.of(program).getParent();
        return folder == null ? Map.of("SSL_CERT_FILE", certificate)
            : Map.of("SSL_CERT_FILE", certificate, "MAMBRIDGE_LIBEXEC", folder.toString());
    }

    /** An access token of a user, for the service and for Graph. */
    public String token(String user) {
        try {
            Process asked = new ProcessBuilder(program, "dev-token", Sandbox.fullName(user), "--service", url).start();
            asked.getOutputStream().close();
            String token = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            String errors = new String(asked.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (token.isEmpty()) {
                throw new ConnectionException(errors);
            }
            return token;
        } catch (IOException error) {
            throw new ConnectionException("cannot run " + program + ": " + error.getMessage());
        }
    }

    /** Starts a server with a state of its own, whose policy source is the service; the user is signed in. */
    public Client join(String user) {
        return join(user, builder -> { });
    }

    public Client join(String user, Consumer<Client.Builder> settings) {
        Path folder = Path.of(state + "-" + (joined.size() + 1));
        try {
            Files.createDirectory(folder);
            // A state without this mark gives a development tenant nothing.
            Files.createFile(folder.resolve("development"));
        } catch (IOException error) {
            throw new ConnectionException("cannot make a state: " + error);
        }
        String token = String.format("'%s' dev-token '%s' --service '%s'", program, Sandbox.fullName(user), url);
        Client.Builder builder = Client.builder().environment(environment()).timeout(options.timeout);
        settings.accept(builder);
        Client found = builder.spawn(
            options.program(), "--tenant", url, "--state", folder.toString(), "--token-command", token);
        joined.add(found);
        return found;
    }

    // Control

    /** Lets the changes of the sandbox count at once. */
    public void reload() {
        control("POST", "reload", null);
    }

    /** Makes checkIn, graph, token or keys fail, as {@code mambridge-tenant dev --help} says. */
    public void fault(String at, String kind) {
        fault(at, kind, Map.of());
    }

    /** Lets something fail with options: {@code Map.of("times", 1, "delay", "PT1.5S")}. */
    public void fault(String at, String kind, Map<String, ?> options) {
        Map<String, Object> fault = new LinkedHashMap<>(options);
        fault.put("at", at);
        fault.put("kind", kind);
        control("POST", "faults", fault);
    }

    /** Ends all faults. */
    public void clearFaults() {
        control("DELETE", "faults", null);
    }

    /** The last requests. */
    public List<Request> requests() {
        return GSON.fromJson(control("GET", "requests", null), Requests.class).requests;
    }

    private String control(String method, String path, Object body) {
        HttpResponse<String> answer = send(method, "/dev/" + path, secret, body == null ? null : GSON.toJson(body));
        if (answer.statusCode() >= 400) {
            throw new ConnectionException(GSON.fromJson(answer.body(), Refusal.class).error.message);
        }
        return answer.body();
    }

    /** Sends a request to the service or to Graph, with a token, and with JSON or null. */
    public HttpResponse<String> send(String method, String path, String token, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).timeout(options.timeout)
            .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build();
        // Works in a thread that the time limit of a test has interrupted.
        return http.sendAsync(request, BodyHandlers.ofString()).handle((answer, error) -> {
            if (error != null) {
                throw new ConnectionException("no answer of " + url + path + ": " + error);
            }
            return answer;
        }).join();
    }

    // The end

    /** What the service has written to its log. */
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException error) {
            return error.toString();
        }
    }

    String report() {
        try {
            List<Request> found = requests().stream().filter(request -> !request.path.startsWith("/dev/")).toList();
            return found.subList(Math.max(0, found.size() - LAST), found.size()).stream().map(Request::toString)
                .collect(Collectors.joining("\n", "--- the last requests to the network\n", ""));
        } catch (RuntimeException error) {
            return "The requests are lost: " + error.getMessage() + "\n" + log();
        }
    }

    void close() {
        joined.forEach(Client::close);
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException | InterruptedException error) {
            process.destroyForcibly();
        }
    }
}
