package mambridge;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import mambridge.errors.ConnectionException;

/** A connection to a server: the pipes of a child process, or a socket. One thread at a time reads, and one writes. */
interface Stream {
    /** How long a server may take to finish after the end of its input. */
    Duration FINISH = Duration.ofSeconds(35);

    /** How long a server may take to exit after a signal. */
    Duration EXIT = Duration.ofSeconds(5);

    /** Returns whether any thread may read and write. */
    boolean isForAnyThread();

    /** Returns whether bytes have arrived. */
    boolean hasBytes();

    /** Waits for more bytes and returns their number, or -1 at the end. */
    int read(byte[] chunk) throws IOException;

    void write(byte[] message) throws IOException;

    /** Says that no more messages will be written. */
    void finish() throws IOException;

    /** Says why there is nothing more to read. */
    ConnectionException endOfLife();

    /** Ends the other side, which may take until the deadline to end by itself. */
    void close(Deadline deadline);

    /** The stdin and stdout of a child process. Keeps its last lines on stderr. */
    final class Pipes implements Stream {
        private static final int LAST_LINES = 20;
        private static final int LAST_LINE = 500;

        /** The names of the signals from 1 on. */
        private static final String[] SIGNALS = {
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM"
        };
        private static final int LAST_SIGNAL = 64;

        /** With the value "own", the server leaves the process group of this program. */
        private static final String GROUP_VARIABLE = "MAMBRIDGE_PROCESS_GROUP";

        /** Tests change it, to leave everything to the threads of the client. */
        static volatile boolean areForAnyThread = true;

        final Process process;
        private final InputStream output;
        private final Deque<String> lastLines = new ArrayDeque<>();
        private final Thread drain = new Thread(this::readErrors, "mambridge stderr");

        Pipes(List<String> command, Map<String, String> environment, Path folder, boolean ownProcessGroup) {
            ProcessBuilder builder = new ProcessBuilder(command);
            if (ownProcessGroup) {
                builder.environment().putIfAbsent(GROUP_VARIABLE, "own");
            }
            builder.environment().putAll(environment);
            builder.directory(folder == null ? null : new File(folder.toString()));
            try {
                process = builder.start();
            } catch (IOException error) {
                throw new ConnectionException("cannot start " + command.get(0) + ": " + error.getMessage());
            }
            output = process.getInputStream();
            drain.setDaemon(true);
            drain.start();
        }

        private void readErrors() {
            StringBuilder line = new StringBuilder();
            try (Reader errors = process.errorReader(StandardCharsets.UTF_8)) {
                for (int letter = errors.read(); letter >= 0; letter = errors.read()) {
                    if (letter == '\n') {
                        keep(line.toString().stripTrailing());
                        line.setLength(0);
                    } else if (line.length() < LAST_LINE) {
                        line.append((char) letter);
                    }
                }
            } catch (IOException error) {
                // The end of the stream, too.
            }
            if (line.length() > 0) {
                keep(line.toString());
            }
        }

        private void keep(String line) {
            synchronized (lastLines) {
                lastLines.add(line);
                if (lastLines.size() > LAST_LINES) {
                    lastLines.remove();
                }
            }
        }

        @Override
        public boolean isForAnyThread() {
            return areForAnyThread;
        }

        @Override
        public boolean hasBytes() {
            try {
                return output.available() > 0;
            } catch (IOException error) {
                return false; // Who waits for more bytes learns that.
            }
        }

        @Override
        public int read(byte[] chunk) throws IOException {
            return output.read(chunk);
        }

        @Override
        public void write(byte[] message) throws IOException {
            process.getOutputStream().write(message);
            process.getOutputStream().flush();
        }

        @Override
        public void finish() throws IOException {
            process.getOutputStream().close();
        }

        @Override
        public ConnectionException endOfLife() {
            if (!Deadline.after(EXIT).waitFor(process)) {
                return new ConnectionException("mambridge closed its output but is still running");
            }
            Deadline.after(Duration.ofSeconds(1)).join(drain);
            int code = process.exitValue();
            synchronized (lastLines) {
                return new ConnectionException(ending(code), code, List.copyOf(lastLines));
            }
        }

        /** Says how a child ended. Its exit code is 128 + the number of the signal if a signal ended it. */
        static String ending(int code) {
            int signal = code - 128;
            if (signal < 1 || signal > LAST_SIGNAL) {
                return "mambridge exited with code " + code;
            }
            String name = signal > SIGNALS.length ? "" : " (SIG" + SIGNALS[signal - 1] + ")";
            return "mambridge was killed by signal " + signal + name;
        }

        @Override
        public void close(Deadline deadline) {
            if (!deadline.waitFor(process)) {
                // Unlike those of Process, the methods of its handle do not wait for a writer.
                process.toHandle().destroy();
                if (!Deadline.after(EXIT).waitFor(process)) {
                    process.toHandle().destroyForcibly();
                    Deadline.after(EXIT).waitFor(process);
                }
            }
            Deadline.after(Duration.ofSeconds(1)).join(drain);
        }
    }

    /** A TCP or unix socket connection. */
    final class Socket implements Stream {
        private final SocketChannel channel;

        private Socket(SocketChannel channel) {
            this.channel = channel;
        }

        /** Connects to {@code unix:///PATH} or {@code tcp://HOST:PORT}. */
        static Socket open(String address) {
            try {
                if (address.startsWith("unix://")) {
                    return unix(Path.of(address.substring("unix://".length())));
                }
                int colon = address.lastIndexOf(':');
                if (address.startsWith("tcp://") && address.substring(colon).matches(":[0-9]{1,5}")) {
                    String host = address.substring("tcp://".length(), colon);
                    return tcp(new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1))));
                }
            } catch (IOException error) {
                throw new ConnectionException("cannot connect to " + address + ": " + error.getMessage());
            }
            throw new IllegalArgumentException(address + " is no address; use tcp://HOST:PORT or unix:///PATH");
        }

        private static Socket unix(Path path) throws IOException {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            return connected(channel, () -> channel.connect(UnixDomainSocketAddress.of(path)));
        }

        private static Socket tcp(InetSocketAddress address) throws IOException {
            SocketChannel channel = SocketChannel.open();
            return connected(channel, () -> {
                channel.socket().connect(address, 10_000);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            });
        }

        private interface Step {
            void run() throws IOException;
        }

        private static Socket connected(SocketChannel channel, Step connect) throws IOException {
            try {
                connect.run();
                return new Socket(channel);
            } catch (IOException | RuntimeException error) {
                channel.close();
                throw error;
            }
        }

        /** An interrupt of a thread that uses a channel closes it. */
        @Override
        public boolean isForAnyThread() {
            return false;
        }

        @Override
        public boolean hasBytes() {
            return false;
        }

        @Override
        public int read(byte[] chunk) throws IOException {
            return channel.read(ByteBuffer.wrap(chunk));
        }

        @Override
        public void write(byte[] message) throws IOException {
            ByteBuffer rest = ByteBuffer.wrap(message);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        }

        @Override
        public void finish() throws IOException {
            channel.shutdownOutput();
        }

        @Override
        public ConnectionException endOfLife() {
            return new ConnectionException("mambridge closed the connection");
        }

        @Override
        public void close(Deadline deadline) {
            try {
                channel.close();
            } catch (IOException error) {
                // The connection is gone either way.
            }
        }
    }
}
