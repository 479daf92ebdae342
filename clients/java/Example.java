import java.nio.file.Files;
import java.util.List;
import mambridge.Client;
import mambridge.errors.FileUnavailableException;
import mambridge.types.FileFlag;
import mambridge.types.SaveLocation;

/** Example [EXECUTABLE]: enrolls a sample account, asks about its policy, and protects a text. */
public final class Example {
    private static final String ALICE = "alice@contoso.example";
    private static final List<SaveLocation> LOCATIONS =
        List.of(SaveLocation.LOCAL_DRIVE, SaveLocation.ONEDRIVE_FOR_BUSINESS, SaveLocation.DROPBOX);

    public static void main(String[] arguments) throws Exception {
        String executable = arguments.length > 0 ? arguments[0] : "mambridge";
        String state = Files.createTempDirectory("mambridge").toString();
        try (Client client = Client.spawn(executable, "--tenant", "sample", "--state", state)) {
            System.out.println("enrollment: " + client.enrollmentManager().registerAndEnrollAccount(ALICE).status());
            for (SaveLocation location : LOCATIONS) {
                boolean allowed = client.policy().isSaveToAllowedForLocation(
                    location, options -> options.account(ALICE).locationAccount(ALICE));
                System.out.println("save to " + location + ": " + (allowed ? "yes" : "no"));
            }
            String secret = client.dataProtectionManager().protectString("quarterly figures", ALICE);
            System.out.println("unprotected: " + client.dataProtectionManager().unprotectString(secret));
            try {
                client.file().open("/no/such/file", options -> options.flags(List.of(FileFlag.READ_ONLY)));
            } catch (FileUnavailableException error) {
                System.out.println("refused: " + error.getMessage());
            }
        }
    }
}
