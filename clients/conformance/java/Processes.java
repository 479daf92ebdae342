import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import mambridge.CancelToken;
import mambridge.Client;
import mambridge.errors.CancelledException;
import mambridge.errors.ConnectionException;
import mambridge.errors.DeadlineExceededException;

/** The scenarios about processes and signals. */
final class Processes {
    private static final Duration SHORT = Duration.ofMillis(300);

    private final Supplier<Client> spawn;

    Processes(Supplier<Client> spawn) {
        this.spawn = spawn;
    }

    Object ignoredChildren() throws Exception {
        try (Client client = spawn.get()) {
            client.initialize();
        }
        Instant start = Instant.now();
        String end = "answered";
        try (Client client = spawn.get()) {
            client.initialize();
            signal("KILL", client.pid().getAsLong());
            client.versionInfo().sdkVersion();
        } catch (ConnectionException error) {
            end = "lost";
        }
        return Map.of("end", end, "soon", soon(start));
    }

    Object signalDuringACall() throws Exception {
        CancelToken token = new CancelToken();
        AtomicBoolean handled = new AtomicBoolean();
        handle("TERM", () -> {
            handled.set(true);
            token.cancel();
        });
        try (Client client = spawn.get()) {
            client.initialize();
            Instant start = Instant.now();
            CompletableFuture.delayedExecutor(SHORT.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> signal("TERM", ProcessHandle.current().pid()));
            String end = "answered";
            try {
                client.events().list(options -> options.waitMilliseconds(60_000L).cancel(token));
            } catch (CancelledException error) {
                end = error.name();
            }
            boolean alive = !client.versionInfo().sdkVersion().isEmpty();
            return Map.of("handled", handled.get(), "end", end, "soon", soon(start), "alive", alive);
        }
    }

    Object stoppedServer() {
        Client client = spawn.get();
        client.initialize();
        Instant start = Instant.now();
        signal("STOP", client.pid().getAsLong());
        String late = "";
        try {
            client.versionInfo().sdkVersion(options -> options.timeout(SHORT));
        } catch (DeadlineExceededException error) {
            late = error.getMessage();
        }
        signal("CONT", client.pid().getAsLong());
        boolean alive = !client.versionInfo().sdkVersion().isEmpty();
        client.close();
        return Map.of("late", late, "alive", alive, "exitCode", client.exitCode().getAsInt(), "soon", soon(start));
    }

    private static boolean soon(Instant start) {
        return Duration.between(start, Instant.now()).toSeconds() < 20;
    }

    private static void signal(String name, long process) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process)).inheritIO().start().waitFor();
        } catch (IOException | InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Java has no supported way to handle a signal, and the compiler warns of the usual one. */
    private static void handle(String name, Runnable handler) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> type = Class.forName("sun.misc.SignalHandler");
        Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            handler.run();
            return null;
        });
        signal.getMethod("handle", signal, type).invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    }
}
