package mambridge.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import mambridge.Client;
import mambridge.errors.ConnectionException;
import mambridge.errors.MambridgeException;

/** How a sandbox starts. */
public final class SandboxOptions {
    /** How mambridge begins the reason why a sandbox does not start. */
    private static final String REFUSAL = "the sandbox cannot begin: ";
    /** How long the first answer may take. */
    private static final Duration START = Duration.ofSeconds(30);

    Duration timeout = Duration.ofSeconds(60);
    private String binary = variable("MAMBRIDGE", "mambridge");
    private String seed = "sample";
    private final List<String> more = new ArrayList<>();

    SandboxOptions() {
    }

    /** Sets what the sandbox begins with: {@code sample}, {@code empty}, a tenant folder, or one of an export. */
    public SandboxOptions seed(String name) {
        seed = name;
        return this;
    }

    /** Sets when the clock starts; by default now, or the time of an export. */
    public SandboxOptions at(Instant start) {
        return add("--at", start.toString());
    }

    /** Sets the program; by default {@code MAMBRIDGE} in the environment, or else the one on PATH. */
    public SandboxOptions binary(String program) {
        binary = program;
        return this;
    }

    /** Sets a setting of the app, such as {@code MultiIdentity}. */
    public SandboxOptions setting(String name, Object value) {
        return add("--set", name + "=" + value);
    }

    /** Sets the id of the app. */
    public SandboxOptions appId(String id) {
        return add("--app-id", id);
    }

    /** Sets how long a call may take; by default a minute. */
    public SandboxOptions timeout(Duration limit) {
        timeout = limit;
        return this;
    }

    private SandboxOptions add(String option, String value) {
        more.addAll(List.of(option, value));
        return this;
    }

    static String variable(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /** A program that is named by its path, or one on PATH. */
    static String path(String program) {
        return program.contains("/") ? Path.of(program).toAbsolutePath().toString() : program;
    }

    String program() {
        return path(binary);
    }

    Client start() {
        List<String> arguments = new ArrayList<>(List.of("sandbox", "--seed", seed));
        arguments.addAll(more);
        Client client = spawn(arguments);
        try {
            client.sandbox().story(options -> options.timeout(START));
            return client;
        } catch (MambridgeException error) {
            ConnectionException failure = new ConnectionException(reason(error));
            failure.initCause(error);
            client.close();
            throw failure;
        }
    }

    private Client spawn(List<String> arguments) {
        try {
            return Client.builder().timeout(timeout).spawn(program(), arguments.toArray(String[]::new));
        } catch (ConnectionException error) {
            if (isThere(binary)) {
                throw error;
            }
            throw new ConnectionException("cannot start " + program() + ": there is no such program. Install "
                + "mambridge, or name the program with MAMBRIDGE in the environment, or with options.binary(…)");
        }
    }

    static boolean isThere(String program) {
        Stream<String> folders = Stream.of(variable("PATH", "").split(File.pathSeparator));
        return program.contains("/") ? Files.exists(Path.of(program))
            : folders.anyMatch(folder -> Files.exists(Path.of(folder, program)));
    }

    /** Why the program has not answered. */
    private String reason(MambridgeException error) {
        List<String> lines = error instanceof ConnectionException end ? end.lastLines() : List.of();
        return lines.stream().filter(line -> line.contains(REFUSAL)).findFirst()
            .map(line -> line.substring(line.indexOf(REFUSAL)))
            .orElseGet(() -> program() + " does not serve a sandbox: " + error.getMessage() + ". Use mambridge "
                + Client.VERSION + " or newer; `" + Path.of(binary).getFileName() + " --version` says which one it is");
    }
}
