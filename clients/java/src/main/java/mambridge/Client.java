package mambridge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import mambridge.errors.ConnectionException;
import mambridge.types.Values;

/**
 * A connection to a server, which any thread may use.
 *
 * <pre>{@code
 * try (Client client = Client.spawn("mambridge", "--tenant", "sample")) {
 *     client.enrollmentManager().registerAndEnrollAccount("alice@contoso.example");
 *     boolean required = client.policy().isPINRequired(options -> options.account("alice@contoso.example"));
 * }
 * }</pre>
 *
 * <p>Every call can end with a {@link mambridge.errors.MambridgeException}.
 */
public final class Client extends Methods implements AutoCloseable {
    private final Stream stream;
    final Session session;

    private Client(Stream stream, Session session) {
        super(session);
        this.stream = stream;
        this.session = session;
        session.start();
    }

    /** Starts a server as a child process. */
    public static Client spawn(String executable, String... arguments) {
        return builder().spawn(executable, arguments);
    }

    /** Connects to the server at {@code unix:///PATH}. */
    public static Client connect(String address) {
        return builder().connect(address);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** How to open a connection. */
    public static final class Builder {
        private final Map<String, String> environment = new HashMap<>();
        private Path folder;
        private Path tokenFile;
        private Host host;
        private Consumer<Event> onEvent;
        private Duration timeout;
        private boolean ownProcessGroup = true;

        private Builder() {
        }

        /** Adds variables to the environment of the child process. */
        public Builder environment(Map<String, String> variables) {
            environment.putAll(variables);
            return this;
        }

        /** Sets the working directory of the child process. */
        public Builder folder(Path path) {
            folder = path;
            return this;
        }

        /** Sets the file of the token that a TCP server names when it starts. */
        public Builder tokenFile(Path path) {
            tokenFile = path;
            return this;
        }

        /** Answers the requests of the server. {@code initialize} declares what the host answers. */
        public Builder host(Host answers) {
            host = answers;
            return this;
        }

        /**
         * Handles events, one at a time, on a thread of its own. {@code initialize} says which events it wants. If more
         * than 10,000 events wait, the oldest are dropped, and {@link Event.EventsGap} reports their numbers in their
         * place.
         */
        public Builder onEvent(Consumer<Event> handler) {
            onEvent = handler;
            return this;
        }

        /** Sets the time limit of calls that have none of their own. */
        public Builder timeout(Duration limit) {
            timeout = limit;
            return this;
        }

        /**
         * Sets whether a child runs in a process group of its own, which is the default. It then gets no signal that Ctrl-C
         * or a service manager sends to the group of this program.
         */
        public Builder ownProcessGroup(boolean isOwn) {
            ownProcessGroup = isOwn;
            return this;
        }

        /** Starts a server as a child process. */
        public Client spawn(String executable, String... arguments) {
            List<String> command = new ArrayList<>();
            command.add(Objects.requireNonNull(executable, "executable"));
            command.addAll(List.of(arguments));
            return open(new Stream.Pipes(command, environment, folder, ownProcessGroup));
        }

        /** Connects to {@code unix:///PATH}, or to {@code tcp://HOST:PORT} with the file of the token. */
        public Client connect(String address) {
            Client client = open(Stream.Socket.open(address));
            try {
                if (tokenFile != null) {
                    client.authenticate(readToken(), options -> options.timeout(Duration.ofSeconds(10)));
                }
                return client;
            } catch (RuntimeException error) {
                client.stream.close(Deadline.after(Duration.ZERO));
                client.close();
                throw error;
            }
        }

        private Client open(Stream stream) {
            return new Client(stream, new Session(stream, host, onEvent, timeout));
        }

        private String readToken() {
            try {
                return Files.readString(tokenFile).strip();
            } catch (IOException error) {
                throw new ConnectionException("cannot read the token file " + error.getMessage());
            }
        }
    }

    /**
     * Makes a call without types. The result is parsed JSON: Map, List, String, Long, Double, Boolean or null.
     */
    public Object call(String method, Map<String, ?> params) {
        CallOptions options = new CallOptions();
        options.params.putAll(params);
        return session.await(new Call<>(method, options, Values::any));
    }

    /** The process id of the child; empty for a socket. */
    public OptionalLong pid() {
        return stream instanceof Stream.Pipes pipes ? OptionalLong.of(pipes.process.pid()) : OptionalLong.empty();
    }

    /** The exit code of the child once it has ended, 128 + the number of the signal if a signal ended it. */
    public OptionalInt exitCode() {
        boolean ended = stream instanceof Stream.Pipes pipes && !pipes.process.isAlive();
        return ended ? OptionalInt.of(((Stream.Pipes) stream).process.exitValue()) : OptionalInt.empty();
    }

    /**
     * Ends the connection: running calls are answered first. A child that does not exit within 35 seconds is ended
     * with SIGTERM, then with SIGKILL.
     */
    @Override
    public void close() {
        session.close();
    }
}
