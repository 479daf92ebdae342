package mambridge.errors;

/**
 * Anything that can go wrong with a call. {@link ServerException} is an error that the server reports, and
 * {@link ConnectionException} says that there is no server to talk to.
 */
public abstract class MambridgeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    protected MambridgeException(String message) {
        super(message);
    }
}
