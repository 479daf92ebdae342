package mambridge.types;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Settings to change. A setting that is not given stays as it is, and null unsets it. */
public abstract class Settings<S extends Settings<S>> implements Json {
    private final Map<String, Object> values = new LinkedHashMap<>();

    Settings() {
    }

    @SuppressWarnings("unchecked")
    final S give(String name, Object value) {
        values.put(name, value);
        return (S) this;
    }

    @Override
    public final Map<String, Object> json() {
        return Collections.unmodifiableMap(values);
    }
}
