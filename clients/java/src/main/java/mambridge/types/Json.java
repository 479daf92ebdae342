package mambridge.types;

/** A value with a JSON form. */
public interface Json {
    /** The JSON form: a Map, List, String, Number, Boolean or null, or another value that {@link Values} can send. */
    Object json();
}
