//! sample [EXECUTABLE]: enrolls a sample account, asks about its policy, and protects a text.
use mambridge::types::{FileFlag, SaveLocation};
use mambridge::{Client, Error, ErrorName, Result};

const ALICE: &str = "alice@contoso.example";

fn main() -> Result<()> {
    let state = std::env::temp_dir().join(format!("mambridge-sample-{}", std::process::id()));
    std::fs::create_dir(&state)?;
    let executable = std::env::args().nth(1).unwrap_or_else(|| "mambridge".to_owned());
    let client = Client::spawn(executable, ["--tenant", "sample", "--state", &state.to_string_lossy()])?;
    let result = show(&client);
    client.close();
    std::fs::remove_dir_all(&state)?;
    result
}

fn show(client: &Client) -> Result<()> {
    println!("enrollment: {}", client.enrollment_manager().register_and_enroll_account(ALICE).send()?.status);
    for location in [SaveLocation::LocalDrive, SaveLocation::OneDriveForBusiness, SaveLocation::Dropbox] {
        let question = client.policy().is_save_to_allowed_for_location(location.clone());
        let allowed = question.account(ALICE).location_account(ALICE).send()?;
        println!("save to {location}: {}", if allowed { "yes" } else { "no" });
    }
    let secret = client.data_protection_manager().protect_string("quarterly figures", ALICE).send()?;
    println!("unprotected: {}", client.data_protection_manager().unprotect_string(secret.as_str()).send()?);
    match client.file().open("/no/such/file").flags([FileFlag::ReadOnly]).send() {
        Err(Error::Server(error)) if error.name == Some(ErrorName::FileUnavailable) => {
            println!("refused: {}", error.message);
            Ok(())
        }
        other => other.map(drop),
    }
}
