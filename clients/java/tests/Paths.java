package mambridge;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mambridge.errors.CallInterruptedException;

/** Paths CASE EXECUTABLE STATE PYTHON: who reads an answer, the thread of its caller or that of the client. */
public final class Paths {
    /** Answers each call, and sends an event a moment after the answer to "later". */
    private static final String SCRIPT = """
        import json, sys, threading
        EVENT = '{"method": "policyManager.policyDidChange", "params": {"seq": 1, "time": "2026-01-01T00:00:00Z"}}'
        for line in sys.stdin:
            request = json.loads(line)
            print(json.dumps({"id": request["id"], "result": "1.0.0"}), flush=True)
            if request["method"] == "later":
                threading.Timer(0.2, print, [EVENT], {"flush": True}).start()
        """;

    private Paths() {
    }

    public static void main(String[] words) throws Exception {
        Stream.Pipes.areForAnyThread = !words[0].equals("the threads of the client");
        switch (words[0]) {
            case "an event after calls" -> event(words[3]);
            default -> {
                try (Client client = Client.spawn(words[1], "--tenant", "sample", "--state", words[2])) {
                    check(words[0], client);
                }
            }
        }
        System.out.println("done");
    }

    private static void check(String name, Client client) throws Exception {
        switch (name) {
            case "one call after the other" -> callUntilTried(client);
            case "the threads of the client" -> threads(client);
            case "futures beside calls" -> futures(client);
            case "an interrupt before a call" -> interrupt(client);
            default -> throw new IllegalArgumentException(name);
        }
    }

    private static void expect(boolean right, Object seen) {
        if (!right) {
            throw new AssertionError(String.valueOf(seen));
        }
    }

    private static void callUntilTried(Client client) {
        long before = client.session.reader.tries();
        for (int call = 0; call < 100_000 && client.session.reader.tries() == before; call++) {
            client.versionInfo().sdkVersion();
        }
        expect(client.session.reader.tries() > before, "no caller has read");
    }

    private static void threads(Client client) {
        for (int call = 0; call < 1000; call++) {
            client.versionInfo().sdkVersion();
        }
        expect(client.session.reader.tries() == 0, "a caller has read");
    }

    /** Each answer finds its call, whoever reads it. */
    private static void futures(Client client) throws Exception {
        callUntilTried(client);
        for (int round = 0; round < 500; round++) {
            CompletableFuture<String> version = client.versionInfo().sdkVersionAsync();
            expect(!client.settings().get().isEmpty(), round);
            expect(version.get(30, TimeUnit.SECONDS).equals(client.versionInfo().sdkVersion()), round);
        }
    }

    /** The thread reads again when no caller does. */
    private static void event(String python) throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        try (Client client = Client.builder().onEvent(event -> heard.countDown()).spawn(python, "-c", SCRIPT)) {
            callUntilTried(client);
            client.call("later", Map.of());
            expect(heard.await(30, TimeUnit.SECONDS), "no event");
        }
    }

    private static void interrupt(Client client) {
        callUntilTried(client);
        Thread.currentThread().interrupt();
        try {
            client.versionInfo().sdkVersion();
        } catch (CallInterruptedException error) {
            // The answer may come first.
        }
        expect(Thread.interrupted(), "interrupt status");
        expect(!client.versionInfo().sdkVersion().isEmpty(), "a call after it");
    }
}
