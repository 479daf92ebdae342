package mambridge.errors;

/** The server sent something that this version of the client cannot read. The message holds no part of it. */
public final class UnexpectedReplyException extends MambridgeException {
    private static final long serialVersionUID = 1;

    public UnexpectedReplyException(String message) {
        super(message);
    }
}
