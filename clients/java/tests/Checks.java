import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import mambridge.Client;
import mambridge.Event;
import mambridge.Host;
import mambridge.HostRequest;
import mambridge.Progress;
import mambridge.errors.CallInterruptedException;
import mambridge.errors.ConnectionException;
import mambridge.errors.DeadlineExceededException;
import mambridge.errors.PolicyRequiredException;
import mambridge.errors.ServerException;
import mambridge.errors.UnexpectedReplyException;
import mambridge.types.AlertAnswer;
import mambridge.types.ClipboardForm;
import mambridge.types.CopiedContent;
import mambridge.types.Credentials;
import mambridge.types.PolicySource;
import mambridge.types.PushName;
import mambridge.types.SaveLocation;
import mambridge.types.TestSettings;

/** Checks CHECK EXECUTABLE FOLDER PYTHON FAKE: checks one promise of the client, with the server or a fake of it. */
public final class Checks {
    private static final String ALICE = "alice@contoso.example";

    private final String executable;
    private final Path folder;
    private final String python;
    private final String fake;
    private final Client.Builder builder = Client.builder();

    private Checks(String[] words) {
        executable = words[1];
        folder = Path.of(words[2]);
        python = words[3];
        fake = words[4];
    }

    public static void main(String[] words) throws Exception {
        new Checks(words).check(words[0]);
        System.out.println("done");
    }

    private void check(String name) throws Exception {
        switch (name) {
            case "a unix socket" -> socket("unix://" + folder.resolve("run/socket"), false);
            case "TCP with a token" -> socket("tcp://127.0.0.1:0", true);
            case "no server" -> noServer();
            case "replies in another order" -> otherOrder();
            case "a reply in pieces" -> pieces();
            case "values that only the server knows" -> unknownValues();
            case "a result of the wrong type" -> wrongType();
            case "an error by name" -> errorByName();
            case "a death in the middle" -> death();
            case "a line that is no message" -> noise();
            case "a silent server" -> silence();
            case "a stopped server" -> stopped();
            case "a long line on stderr" -> longLine();
            case "replies to nobody" -> strayReplies();
            case "JSON that is too deep" -> tooDeep();
            case "a slow handler of events" -> slowHandler();
            case "an interrupt" -> interrupt();
            case "a canceled future" -> canceledFuture();
            case "a request that no host answers" -> unanswered();
            case "a host that fails" -> failingHost();
            case "a handler that fails" -> failingHandler();
            case "progress before the end" -> progress();
            case "calls in an event handler" -> callsInHandler();
            case "what is not given is not sent" -> notGiven();
            case "numbers and texts" -> values();
            case "secrets" -> secrets();
            case "equal bytes" -> equalBytes();
            default -> throw new IllegalArgumentException("no check " + name);
        }
    }

    private static void expect(boolean right, Object seen) {
        if (!right) {
            throw new AssertionError(String.valueOf(seen));
        }
    }

    private static <E extends Throwable> E fails(Class<E> kind, Runnable action) {
        try {
            action.run();
        } catch (Throwable error) {
            expect(kind.isInstance(error), error);
            return kind.cast(error);
        }
        throw new AssertionError("no " + kind.getSimpleName());
    }

    private Client fake() {
        return builder.spawn(python, fake);
    }

    private Client real() {
        return builder.spawn(executable, "--tenant", "sample", "--state", folder.resolve("state").toString());
    }

    /** The requests that the fake has seen, when there is one with the text in it. */
    private static String seen(Client client, String text) throws InterruptedException {
        for (int turn = 0; turn < 200; turn++) {
            String seen = client.call("seen", Map.of()).toString();
            if (seen.contains(text)) {
                return seen;
            }
            Thread.sleep(50);
        }
        throw new AssertionError("never seen: " + text);
    }

    private void socket(String address, boolean token) throws Exception {
        String state = folder.resolve("state").toString();
        Process server =
            new ProcessBuilder(executable, "--tenant", "sample", "--state", state, "--listen", address).start();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(server.getErrorStream()))) {
            String[] line = lines.readLine().replace("\\/", "/").split("\"");
            List<String> words = List.of(line);
            if (token) {
                builder.tokenFile(Path.of(words.get(words.indexOf("tokenFile") + 2)));
            }
            try (Client client = builder.connect(words.get(words.indexOf("listening") + 2))) {
                expect(client.enrollmentManager().registerAndEnrollAccount(ALICE).didSucceed(), line);
                expect(client.pid().isEmpty(), client.pid());
                server.destroy();
                server.waitFor();
                fails(ConnectionException.class, () -> client.versionInfo().sdkVersion());
            }
        } finally {
            server.destroyForcibly();
        }
    }

    private void noServer() {
        fails(ConnectionException.class, () -> Client.spawn("/no/such/mambridge"));
        fails(ConnectionException.class, () -> Client.connect("unix:///no/such/socket"));
        fails(IllegalArgumentException.class, () -> Client.connect("http://127.0.0.1:1"));
    }

    private void otherOrder() throws Exception {
        try (Client client = fake()) {
            List<CompletableFuture<Object>> calls = new ArrayList<>();
            for (int number = 0; number < 20; number++) {
                Object value = number;
                calls.add(CompletableFuture.supplyAsync(
                    () -> client.call("hold", Map.of("value", value)), task -> new Thread(task).start()));
            }
            while (client.call("seen", Map.of()).toString().split("method=hold").length <= 20) {
                Thread.sleep(20);
            }
            client.call("release", Map.of("value", 20));
            for (int number = 0; number < 20; number++) {
                expect(calls.get(number).get().equals((long) number), calls.get(number).get());
            }
        }
    }

    private void pieces() {
        try (Client client = fake()) {
            expect(client.call("torn", Map.of()).equals("whole ü"), "torn");
        }
    }

    private void unknownValues() {
        try (Client client = fake()) {
            PolicySource source = client.policyManager().mamPolicySource();
            expect(source.value().equals("aSourceOfTomorrow"), source);
            expect(source.equals(PolicySource.of("aSourceOfTomorrow")), source);
            expect(!PolicySource.values().contains(source) && SaveLocation.of("box") == SaveLocation.BOX, source);
            expect(client.userStatusManager().userStatus().clockStatus().value().equals("clockedIn"), "userStatus");
            expect(Event.of("news.ofTomorrow", Map.of()) instanceof Event.Unknown, "event");
        }
    }

    private void wrongType() {
        try (Client client = fake()) {
            String text = fails(
                UnexpectedReplyException.class, () -> client.enrollmentManager().enrolledAccount()).getMessage();
            expect(text.contains("enrollmentManager.enrolledAccount") && !text.contains("no object"), text);
            fails(UnexpectedReplyException.class, () -> client.tenant().status());
        }
    }

    private void errorByName() {
        try (Client client = fake()) {
            PolicyRequiredException error =
                fails(PolicyRequiredException.class, () -> client.call("refuse", Map.of()));
            expect(error.code() == PolicyRequiredException.CODE && error.retryable(), error);
            expect(error.toString().endsWith("(4001): no policy yet (enroll first)"), error);
            expect(fails(ServerException.class, () -> client.call("nameless", Map.of())).code() == -32004, "nameless");
        }
    }

    private void death() throws Exception {
        Client client = fake();
        CompletableFuture<Boolean> waiting = client.policy().isPINRequiredAsync();
        ConnectionException lost = fails(ConnectionException.class, () -> client.call("die", Map.of()));
        expect(lost.exitCode() == 74 && lost.getMessage().contains("disk full: make room"), lost);
        expect(lost.getStackTrace()[0].getClassName().startsWith("mambridge."), "stack");
        expect(failure(waiting) instanceof ConnectionException, waiting);
        fails(ConnectionException.class, () -> client.call("echo", Map.of()));
        client.close();
    }

    private static Throwable failure(CompletableFuture<?> future) throws Exception {
        return future.handle((value, error) -> error).get(30, TimeUnit.SECONDS);
    }

    private void noise() {
        try (Client client = fake()) {
            String text = fails(ConnectionException.class, () -> client.call("noise", Map.of())).getMessage();
            expect(!text.contains("this is no JSON"), text);
        }
    }

    private void silence() throws Exception {
        builder.timeout(Duration.ofMillis(100));
        try (Client client = fake()) {
            Instant start = Instant.now();
            CompletableFuture<Boolean> later = client.policy().isPINRequiredAsync();
            fails(DeadlineExceededException.class, () -> client.policy().isPINRequired());
            expect(failure(later) instanceof DeadlineExceededException, later);
            expect(Duration.between(start, Instant.now()).toSeconds() < 20, "late");
            String seen = seen(client, "$/cancelRequest");
            expect(seen.contains("timeoutMilliseconds=100"), seen);
        }
    }

    private Client script(String program) {
        return builder.spawn(python, "-c", "import sys\n" + program);
    }

    /** A writer that is stuck holds up neither a caller past its time limit, nor the end. */
    private void stopped() {
        Client client = script("import time\ntime.sleep(100)");
        Instant start = Instant.now();
        for (int turn = 0; turn < 2; turn++) {
            fails(DeadlineExceededException.class, () -> client.dataProtectionManager().protect(
                new byte[1 << 20], ALICE, options -> options.timeout(Duration.ofMillis(100))));
        }
        expect(Duration.between(start, Instant.now()).toSeconds() < 13, "late");
        client.close();
        expect(client.exitCode().getAsInt() == 128 + 15, client.exitCode());
    }

    private void longLine() {
        try (Client client = script("sys.stderr.write('x' * 1000000 + '\\nend')")) {
            String text = fails(ConnectionException.class, () -> client.call("any", Map.of())).getMessage();
            expect(text.length() < 700 && text.endsWith("end"), text);
        }
    }

    private void strayReplies() {
        try (Client client = script("""
            sys.stdin.readline()
            print('{"id": null, "result": 1}\\n{"id": 7, "result": 2}\\n{"id": 1, "result": 3}', flush=True)
            sys.stdin.read()""")) {
            expect(client.call("any", Map.of()).equals(3L), "another's reply");
        }
        try (Client client = script("print('{}', flush=True)\nsys.stdin.read()")) {
            String text = fails(ConnectionException.class, () -> client.call("any", Map.of())).getMessage();
            expect(text.contains("neither a request nor a reply"), text);
        }
    }

    private void tooDeep() {
        try (Client client = script("print('[' * 1000000, flush=True)\nsys.stdin.read()")) {
            String text = fails(ConnectionException.class, () -> client.call("any", Map.of())).getMessage();
            expect(text.contains("not JSON"), text);
        }
    }

    /** Every event is handled, or in a gap. */
    private void slowHandler() throws Exception {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        List<Event.EventsGap> gaps = new ArrayList<>();
        long[] last = {0};
        builder.onEvent(event -> {
            sent.join();
            if (event instanceof Event.EventsGap gap) {
                expect(gap.after() == last[0], gap);
                gaps.add(gap);
                last[0] = gap.to();
            } else if (event instanceof Event.PolicyDidChange change) {
                expect(change.seq() == ++last[0], change);
            }
            if (last[0] == 25_000) {
                end.complete(null);
            }
        });
        try (Client client = script("""
            event = '{"method": "policyManager.policyDidChange", "params": {"seq": %d, "time": "2026-01-01T00:00:00Z"}}'
            for number in range(25000): print(event % (number + 1))
            print('{"id": 1, "result": null}', flush=True)
            sys.stdin.read()""")) {
            client.call("any", Map.of());
            sent.complete(null);
            end.get(30, TimeUnit.SECONDS);
            expect(gaps.size() == 1, gaps);
        }
    }

    private void interrupt() throws Exception {
        try (Client client = fake()) {
            Thread caller = Thread.currentThread();
            CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS).execute(caller::interrupt);
            fails(CallInterruptedException.class, () -> client.call("hold", Map.of("value", 1)));
            expect(Thread.interrupted(), "interrupt status");
            seen(client, "$/cancelRequest");
        }
    }

    private void canceledFuture() throws Exception {
        try (Client client = fake()) {
            CompletableFuture<Boolean> waiting = client.policy().isPINRequiredAsync();
            seen(client, "policy.isPINRequired");
            waiting.cancel(true);
            seen(client, "$/cancelRequest");
        }
    }

    private void unanswered() throws Exception {
        try (Client client = fake()) {
            client.call("ask", Map.of("method", "ui.showAlert", "params", Map.of()));
            seen(client, "-32601");
        }
    }

    private void failingHost() throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> { });
        builder.host(new Host() {
            @Override
            public AlertAnswer showAlert(HostRequest.ShowAlert request) {
                throw new IllegalStateException("private");
            }
        });
        try (Client client = fake()) {
            fails(UnexpectedReplyException.class, () -> client.initialize()); // The fake answers null.
            Map<String, ?> alert = Map.of("title", "t", "message", "m", "actions", List.of());
            client.call("ask", Map.of("method", "ui.showAlert", "params", alert));
            String seen = seen(client, "-32603");
            expect(!seen.contains("private") && seen.contains("delegates=[ui.showAlert]"), seen);
            client.call("ask", Map.of("method", "ui.showAlert", "params", Map.of()));
            seen(client, "-32602");
            client.call("ask", Map.of("method", "request.ofTomorrow", "params", Map.of()));
            seen(client, "-32601");
        }
    }

    private void failingHandler() throws Exception {
        BlockingQueue<Throwable> shown = new LinkedBlockingQueue<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> shown.add(error));
        builder.onEvent(event -> {
            throw new IllegalStateException(event.event());
        });
        enrollWithEvents(client -> {
            expect(shown.poll(30, TimeUnit.SECONDS) instanceof IllegalStateException, "first");
            expect(shown.poll(30, TimeUnit.SECONDS) instanceof IllegalStateException, "second");
        });
        try (Client client = fake()) {
            client.call("events", Map.of());
            expect(shown.poll(30, TimeUnit.SECONDS) instanceof UnexpectedReplyException, "unreadable event");
        }
    }

    private interface Check {
        void run(Client client) throws Exception;
    }

    private void enrollWithEvents(Check check) throws Exception {
        try (Client client = real()) {
            client.initialize(options -> options.events(List.of(
                PushName.POLICY_MANAGER_POLICY_DID_CHANGE,
                PushName.ENROLLMENT_DELEGATE_ENROLLMENT_REQUEST_WITH_STATUS)));
            client.enrollmentManager().registerAndEnrollAccount(ALICE);
            check.run(client);
        }
    }

    private void progress() {
        List<Progress> heard = new ArrayList<>();
        try (Client client = real()) {
            client.enrollmentManager().registerAndEnrollAccount(ALICE);
            client.enrollmentManager().deRegisterAndUnenrollAccount(ALICE, options -> options
                .withWipe(true).progress(progress -> {
                    sleep();
                    heard.add(progress);
                }));
            expect(heard.size() > 1 && heard.get(0).kind().equals("begin"), heard);
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    private void callsInHandler() throws Exception {
        CompletableFuture<String> version = new CompletableFuture<>();
        CompletableFuture<Client> opened = new CompletableFuture<>();
        builder.onEvent(event -> version.complete(opened.join().versionInfo().sdkVersion()));
        enrollWithEvents(client -> {
            opened.complete(client);
            expect(!version.get(30, TimeUnit.SECONDS).isEmpty(), version);
        });
    }

    private void notGiven() throws Exception {
        try (Client client = fake()) {
            client.policy().isPINRequiredAsync(options -> options.account("alice").account(null).window("inbox"));
            client.policyManager().setUIPolicyIdentityAsync(null);
            String seen = seen(client, "setUIPolicyIdentity");
            expect(seen.contains("params={window=inbox}") && seen.contains("params={account=null}"), seen);
        }
    }

    private void values() throws Exception {
        Map<String, Object> sent = Map.of("whole", Long.MAX_VALUE, "part", 2.5, "text", "Grüße 👋\u2028\"\\");
        try (Client client = fake()) {
            expect(client.call("echo", sent).equals(sent), "echo");
            fails(IllegalArgumentException.class, () -> client.call("echo", Map.of("text", "\ud83d")));
            fails(IllegalArgumentException.class, () -> client.call("echo", Map.of("number", Double.NaN)));
            client.debug().setPolicyAsync(
                new TestSettings().periodBeforePinReset(Duration.ofDays(1).plusSeconds(90)).other("later", Instant.EPOCH));
            String seen = seen(client, "debug.setPolicy");
            expect(seen.contains("P1DT90S") && seen.contains("1970-01-01T00:00:00Z"), seen);
        }
    }

    private void secrets() {
        String shown = new Credentials("alice", "t0ken").toString();
        expect(shown.equals("Credentials[userPrincipalName=alice, accessToken=(hidden)]"), shown);
    }

    private static void equalBytes() {
        CopiedContent one = new CopiedContent(ClipboardForm.PROTECTED, "text", new byte[] {1, 2}, null);
        CopiedContent same = new CopiedContent(ClipboardForm.of("protected"), "text", new byte[] {1, 2}, null);
        CopiedContent other = new CopiedContent(ClipboardForm.PROTECTED, "text", new byte[] {1, 3}, null);
        expect(one.equals(same) && one.hashCode() == same.hashCode() && !one.equals(other), one);
    }
}
