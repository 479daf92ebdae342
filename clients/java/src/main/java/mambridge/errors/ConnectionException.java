package mambridge.errors;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The server cannot be reached, is gone, or this client is closed. For a child process, the message has the exit code
 * and the last lines on stderr.
 */
public final class ConnectionException extends MambridgeException {
    private static final long serialVersionUID = 1;

    private final String reason;
    private final Integer exitCode;
    private final transient List<String> lastLines;

    public ConnectionException(String reason) {
        this(reason, null, List.of());
    }

    public ConnectionException(String reason, Integer exitCode, List<String> lastLines) {
        super(reason + words(lastLines));
        this.reason = reason;
        this.exitCode = exitCode;
        this.lastLines = List.copyOf(lastLines);
    }

    /** The exit code of the child, 128 + the number of the signal if a signal ended it, or null if unknown. */
    public Integer exitCode() {
        return exitCode;
    }

    /** The last lines of the child on stderr. */
    public List<String> lastLines() {
        return lastLines == null ? List.of() : lastLines;
    }

    /** The same failure with the stack trace of this thread. */
    public ConnectionException here() {
        return new ConnectionException(reason, exitCode, lastLines());
    }

    private static String words(List<String> lines) {
        String words = lines.stream().filter(line -> !line.isEmpty()).collect(Collectors.joining(" | "));
        return words.isEmpty() ? "" : "; its last lines on stderr: " + words;
    }
}
