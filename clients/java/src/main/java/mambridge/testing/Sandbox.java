package mambridge.testing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import mambridge.Client;
import mambridge.DeviceMethods;
import mambridge.Event;
import mambridge.SandboxMethods;
import mambridge.types.AwaitedEvent;
import mambridge.types.ClockTime;
import mambridge.types.Device;
import mambridge.types.EnrollmentStatus;
import mambridge.types.EnrollmentStatusCode;
import mambridge.types.EventName;
import mambridge.types.Expectation;
import mambridge.types.ExpectedOutcome;
import mambridge.types.FaultKind;
import mambridge.types.FaultPlace;
import mambridge.types.TestSettings;

/**
 * A fresh tenant, a clock that stands still and a user who answers, for one test.
 *
 * <pre>{@code
 * try (Sandbox mam = new Sandbox()) {
 *     mam.enroll("alice");
 *     mam.device(device -> device.jailbroken(true));
 *     mam.client().conditionalLaunch().evaluate();
 *     mam.assertBlocked("deviceComplianceRequired");
 * }
 * }</pre>
 *
 * <p>{@code alice}, {@code bob}, {@code carol} and {@code dave} are short for the users of the sample tenant; every
 * other name is as written. With JUnit, {@link MambridgeExtension} starts and closes it, and prints the report of a
 * failure. Without, the stack trace of a verb that fails ends with the report.
 */
public final class Sandbox implements AutoCloseable {
    private static final Set<String> SAMPLE_USERS = Set.of("alice", "bob", "carol", "dave");
    /** How mambridge begins the text about a user whom the tenant does not list. */
    private static final String UNLISTED = "The tenant does not list this user.";
    /** The statuses of a wipe of an account that is not enrolled. */
    private static final Set<EnrollmentStatusCode> NOT_ENROLLED =
        Set.of(EnrollmentStatusCode.APP_NOT_ENROLLED, EnrollmentStatusCode.NOT_ENROLLED_ACCOUNT);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final SandboxOptions options = new SandboxOptions();
    private final Client client;
    private final Failures failures;
    private final List<Client> joined = new CopyOnWriteArrayList<>();
    private volatile Network network;

    public Sandbox() {
        this(options -> { });
    }

    /**
     * Starts a sandbox with options.
     *
     * @throws mambridge.errors.ConnectionException it cannot start. The message says why, and what to do.
     */
    public Sandbox(Consumer<SandboxOptions> options) {
        this(options, true);
    }

    /** @param reports whether the failures of verbs have the report, which nobody else prints. */
    Sandbox(Consumer<SandboxOptions> setter, boolean reports) {
        setter.accept(options);
        client = options.start();
        failures = new Failures(client, reports);
    }

    /** The client of the sandbox, which can do all that an app can. */
    public Client client() {
        return client;
    }

    static String fullName(String user) {
        return SAMPLE_USERS.contains(user) ? user + "@contoso.example" : user;
    }

    // Administrators

    /**
     * Writes a policy for a user, a group or everybody ({@code "*"}). Accounts check in; {@code setPolicy} of
     * {@code client().sandbox()} writes one without a check-in.
     */
    public void policy(String audience, Consumer<TestSettings> settings) {
        policy(audience, settings, more -> { });
    }

    /** Writes a policy with a name, or for some apps or a platform. Accounts check in. */
    public void policy(
            String audience, Consumer<TestSettings> settings, Consumer<SandboxMethods.SetPolicyOptions> more) {
        TestSettings given = new TestSettings();
        settings.accept(given);
        client.sandbox().setPolicy(fullName(audience), given, more);
        checkIn();
    }

    /** Writes an app configuration for a user, a group or everybody ({@code "*"}). Accounts check in. */
    public void configuration(String audience, Map<String, String> values) {
        client.sandbox().setConfiguration(fullName(audience), values);
        checkIn();
    }

    /** Adds a user to the tenant, or changes one. Accounts check in. */
    public void setUser(String name, Consumer<SandboxMethods.SetUserOptions> changes) {
        client.sandbox().setUser(fullName(name), changes);
        checkIn();
    }

    /** Orders a wipe of the data of a user, and lets the account do it. */
    public void wipe(String user) {
        for (EnrollmentStatus status : client.sandbox().wipe(fullName(user), options -> options.push(true))) {
            if (network == null && NOT_ENROLLED.contains(status.status())) {
                throw failures.notEnrolled(status);
            }
        }
        // The wipe is due, and runs when the clock moves, even by nothing.
        advance(Duration.ZERO);
    }

    // The user, the device and the time

    /** Enrolls a user as an app does. Fails if the tenant does not list the user. */
    public EnrollmentStatus enroll(String user) {
        EnrollmentStatus status = client.enrollmentManager().registerAndEnrollAccount(fullName(user));
        if (status.errorString() != null && status.errorString().startsWith(UNLISTED)) {
            throw failures.notEnrolled(status);
        }
        return status;
    }

    /** Checks in all accounts. */
    public List<EnrollmentStatus> checkIn() {
        return client.tenant().checkIn();
    }

    public List<EnrollmentStatus> checkIn(String user) {
        return client.tenant().checkIn(options -> options.account(fullName(user)));
    }

    /** Says how the user answers from now on: {@code user(answers -> answers.pin("482913").signIn(true))}. */
    public void user(Consumer<SandboxMethods.AnswerOptions> answers) {
        client.sandbox().answer(answers);
    }

    /** Says what the device is like: {@code device(device -> device.jailbroken(true))}. */
    public Device device(Consumer<DeviceMethods.SetOptions> properties) {
        return client.device().set(properties);
    }

    /** Takes the network away. */
    public Device offline() {
        return device(device -> device.networkAvailable(false));
    }

    public Device online() {
        return device(device -> device.networkAvailable(true));
    }

    /** Lets the policy source, its tokens or the clock fail, until {@link #clearFaults}. */
    public void fault(FaultPlace at, FaultKind kind) {
        client.sandbox().fault(at, kind);
    }

    /** Lets something fail as often as said: {@code fault(at, kind, fault -> fault.times(1))}. */
    public void fault(FaultPlace at, FaultKind kind, Consumer<SandboxMethods.FaultOptions> options) {
        client.sandbox().fault(at, kind, options);
    }

    /** Ends all faults. */
    public void clearFaults() {
        client.sandbox().clearFaults();
    }

    /** Moves the clock, and runs what becomes due on the way. In whole seconds, at most 366 days. */
    public ClockTime advance(Duration by) {
        return client.debug().advanceClock(by);
    }

    // What happened

    /** Fails, with the reasons, unless the newest question of the app was answered with a block. */
    public void assertBlocked() {
        assertBlocked(null);
    }

    /** Fails, with the reasons, unless the newest question of the app was answered with a block by this setting. */
    public void assertBlocked(String setting) {
        expect(ExpectedOutcome.BLOCKED, setting);
    }

    /** Fails, with the reasons, unless the newest question of the app was answered with a permission. */
    public void assertAllowed() {
        expect(ExpectedOutcome.ALLOWED, null);
    }

    /** Returns the first event of a class that no earlier wait has returned. Fails if none comes within 10 seconds. */
    public <E extends Event> E waitFor(Class<E> kind) {
        return waitFor(kind, PATIENCE);
    }

    public <E extends Event> E waitFor(Class<E> kind, Duration limit) {
        return waitFor(kind, limit, null);
    }

    /** Waits for an event of one user. */
    public <E extends Event> E waitFor(Class<E> kind, Duration limit, String user) {
        String name = Event.nameOf(kind);
        if (name == null) {
            throw new IllegalArgumentException(kind + " is no event: pass a class such as Event.PolicyDidChange.class");
        }
        AwaitedEvent found = client.sandbox().waitForEvent(EventName.of(name), given -> given
            .account(user == null ? null : fullName(user)).milliseconds(limit.toMillis())
            .timeout(limit.plus(options.timeout)));
        if (found.entry() == null) {
            throw failures.failure(found.text());
        }
        return kind.cast(Event.of(name, found.entry().params()));
    }

    private void expect(ExpectedOutcome outcome, String setting) {
        Expectation found = client.sandbox().expect(outcome, given -> given.setting(setting));
        if (!found.isMet()) {
            throw failures.failure(found.text());
        }
    }

    /** What happened, in plain words. */
    public String story() {
        return client.sandbox().report().story();
    }

    /** A script for bash that starts a sandbox like this, and repeats the calls. */
    public String replay() {
        return client.sandbox().report().replay();
    }

    // The state

    /** Keeps the state, the tenant and the time under a name. */
    public void save(String name) {
        client.sandbox().save(name);
    }

    /** Brings back what was saved under a name. */
    public void restore(String name) {
        client.sandbox().restore(name);
    }

    /** Brings back what the sandbox began with. */
    public void reset() {
        client.sandbox().reset();
    }

    /** The variables with which an app that starts mambridge itself joins the sandbox. */
    public Map<String, String> environment() {
        return client.sandbox().environment();
    }

    /** Starts a server that joins the sandbox, with a client of its own, as an app does. */
    public Client join() {
        return join(builder -> { });
    }

    /**
     * Starts a server that joins the sandbox: {@code join(builder -> builder.host(app).onEvent(app::heard))}. It ends
     * with the sandbox. Until its client is closed, {@code restore} and {@code reset} fail.
     */
    public Client join(Consumer<Client.Builder> settings) {
        return start(environment(), List.of(), settings);
    }

    /** Starts a server that ends with the sandbox. */
    Client start(Map<String, String> environment, List<String> arguments, Consumer<Client.Builder> settings) {
        Client.Builder builder = Client.builder().environment(environment).timeout(options.timeout);
        settings.accept(builder);
        Client found = builder.spawn(options.program(), arguments.toArray(String[]::new));
        joined.add(found);
        return found;
    }

    /**
     * Serves the tenant over the network, the same one each time. Needs mambridge-tenant.
     *
     * @throws mambridge.errors.NetworkFailedException it cannot start. The message says why, and what to do.
     */
    public synchronized Network network() {
        if (network == null) {
            network = new Network(this);
        }
        return network;
    }

    // The end

    /** Ends the sandbox. Nothing is left of it. */
    @Override
    public void close() {
        try {
            joined.forEach(Client::close);
        } finally {
            client.close();
        }
    }

    /** What happened, and a script that replays it; or why they are lost. Ends a server that does not answer. */
    public String report() {
        return failures.report(null);
    }

    String report(String failure) {
        return failures.report(failure);
    }
}
