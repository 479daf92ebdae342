import mambridge.testing.Sandbox;
import mambridge.types.SaveLocation;

/** A test that fails, and that JUnit does not run. */
public final class WithoutJUnit {
    public static void main(String[] arguments) {
        try (Sandbox mam = new Sandbox()) {
            mam.enroll("alice");
            mam.client().policy().isSaveToAllowedForLocation(SaveLocation.DROPBOX);
            mam.assertAllowed();
        }
    }
}
