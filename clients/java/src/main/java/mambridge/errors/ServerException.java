package mambridge.errors;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An error reply from the server, or the answer of a host that refuses. Each error that the server names has a class
 * of its own. An error with another name is a plain ServerException.
 */
public class ServerException extends MambridgeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final transient Map<String, Object> data;

    public ServerException(int code, String message, Map<String, Object> data) {
        super(message);
        this.code = code;
        this.data = data;
    }

    /** The JSON-RPC error code. */
    public int code() {
        return code;
    }

    /** A stable symbol to compare with, or null. */
    public String name() {
        return text("name");
    }

    /** The error domain of the SDK, or null if the SDK does not have the error. */
    public String domain() {
        return text("domain");
    }

    /** The error code of the SDK, or null if the SDK does not have the error. */
    public Long sdkCode() {
        return data().get("sdkCode") instanceof Long number ? number : null;
    }

    /** What to do about the error, or null. */
    public String hint() {
        return text("hint");
    }

    /** Whether the same call may succeed later. */
    public boolean retryable() {
        return Boolean.TRUE.equals(data().get("retryable"));
    }

    /** What else the server says, such as {@code path}, the place of a wrong parameter. */
    public Map<String, Object> data() {
        return data == null ? Map.of() : data;
    }

    /** The {@code error} object of a reply. */
    public Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("code", code);
        members.put("message", getMessage());
        if (!data().isEmpty()) {
            members.put("data", data);
        }
        return members;
    }

    private String text(String member) {
        return data().get(member) instanceof String text ? text : null;
    }

    @Override
    public String toString() {
        String help = hint() == null ? "" : " (" + hint() + ")";
        return getClass().getName() + " (" + code + "): " + getMessage() + help;
    }
}
