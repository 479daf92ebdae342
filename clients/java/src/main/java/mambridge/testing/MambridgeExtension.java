package mambridge.testing;

import java.util.function.Consumer;
import java.util.regex.Matcher;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * Gives each test of JUnit 5 that asks for one a {@link Sandbox}, and prints the report of a failure on standard error.
 *
 * <pre>{@code
 * @ExtendWith(MambridgeExtension.class)
 * class AppTest {
 *     @Test
 *     void aPolicyForbidsSaving(Sandbox mam) {
 *         …
 *     }
 * }
 * }</pre>
 *
 * <p>With options: {@code @RegisterExtension static final MambridgeExtension SANDBOX = new
 * MambridgeExtension(options -> options.seed("empty"))}.
 */
public final class MambridgeExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(MambridgeExtension.class);

    private final Consumer<SandboxOptions> options;

    public MambridgeExtension() {
        this(options -> { });
    }

    public MambridgeExtension(Consumer<SandboxOptions> options) {
        this.options = options;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Sandbox.class;
    }

    /** The same for the test and what runs before and after it. */
    @Override
    public Sandbox resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException(
                "a Sandbox is of one test: take it in the method of a test, or in one with @BeforeEach");
        }
        Sandbox started = context.getStore(NAMESPACE).get(Sandbox.class, Sandbox.class);
        Sandbox sandbox = started == null ? new Sandbox(options, false) : started;
        context.getStore(NAMESPACE).put(Sandbox.class, sandbox);
        return sandbox;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Sandbox sandbox = context.getStore(NAMESPACE).remove(Sandbox.class, Sandbox.class);
        if (sandbox == null) {
            return;
        }
        try (sandbox) {
            String test = context.getRequiredTestClass().getName() + "." + context.getRequiredTestMethod().getName();
            context.getExecutionException()
                .filter(failure -> !(failure instanceof TestAbortedException))
                .ifPresent(failure -> System.err.println(sandbox.report(test + "\n" + failure)
                    .replaceFirst("^--- what happened in the sandbox", "$0 of "
                        + Matcher.quoteReplacement(context.getDisplayName()))));
        }
    }
}
