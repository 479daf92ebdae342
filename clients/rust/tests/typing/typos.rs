//! Each line that ends in `// wrong` has one mistake, which the compiler must reject; it must accept the others.
use std::time::Duration;

use mambridge::types::{
    AddIdentityResult, EnteredPin, FileFlag, PushName, SaveLocation, SdkLevel, SettingChanges, ShareTarget,
};
use mambridge::{Client, ErrorName, Event, Host, Result};

fn host() -> Host {
    Host::new()
        .prompt_for_pin(|_, _| Ok(EnteredPin::new().pin("2580")))
        .show_alert(|_, request| Err(mambridge::ServerError::new(ErrorName::Canceled, request.title).into()))
        .identity_switch_required(|_, _| Ok(AddIdentityResult::Success))
}

fn host_with_typos() {
    Host::new().prompt_for_pin(|_, _| Ok(EnteredPin::new().pim("2580"))); // wrong
    Host::new().prompt_for_pin(|_, request| Ok(EnteredPin::new().pin(request.chalenge.id))); // wrong
    Host::new().add_identity(|_, _| Ok(AddIdentityResult::Sucess)); // wrong
    Host::new().is_external_url(|_, _| Ok("yes")); // wrong
    Host::new().promt_for_pin(|_, _| Ok(EnteredPin::new())); // wrong
}

fn ask(client: &Client) -> Result<()> {
    let allowed: bool =
        client.policy().is_save_to_allowed_for_location(SaveLocation::Dropbox).account("alice").send()?;
    let sealed: Vec<u8> = client.data_protection_manager().protect(b"text", "alice").send()?;
    client.settings().set(SettingChanges::new().accent_color(None).supports_dark_mode(allowed)).send()?;
    client.data_protection_manager().unprotect(&sealed).send()?;
    client.initialize().events([PushName::PolicyDidChange]).sdk_level(SdkLevel::Level21).send()?;
    Ok(())
}

fn ask_with_typos(client: &Client) -> Result<()> {
    client.policy().is_pin_requird().send()?; // wrong
    client.polcy().is_pin_required().send()?; // wrong
    client.policy().is_pin_required().acount("alice").send()?; // wrong
    client.policy().is_pin_required().account(b"alice").send()?; // wrong
    client.policy().is_pin_required().account(7).send()?; // wrong
    client.policy().is_pin_required("alice").send()?; // wrong
    client.policy().is_save_to_allowed_for_location(SaveLocation::LocalDisk).send()?; // wrong
    client.policy().is_save_to_allowed_for_location("localDrive").send()?; // wrong
    client.policy().is_save_to_allowed_for_location().send()?; // wrong
    client.data_protection_manager().protect(b"text").send()?; // wrong
    client.data_protection_manager().protect("text", "alice").send()?; // wrong
    let _: String = client.data_protection_manager().protect(b"text", "alice").send()?; // wrong
    let _: Vec<u8> = client.policy().is_pin_required().send()?; // wrong
    println!("{}", client.enrollment_manager().register_and_enroll_account("alice").send()?.statuscode); // wrong
    println!("{:?}", client.enrollment_manager().enrolled_account().send()?.identity); // wrong
    if client.policy().is_pin_required().send() {} // wrong
    client.initialize().events([PushName::PolicyChanged]).send()?; // wrong
    client.initialize().events(["policyManager.policyDidChange"]).send()?; // wrong
    client.initialize().sdk_level(SdkLevel::Level20).send()?; // wrong
    client.initialize().sdk_level(21).send()?; // wrong
    client.settings().set(SettingChanges::new().accent_colour(None)).send()?; // wrong
    client.settings().set(SettingChanges::new().supports_dark_mode("yes")).send()?; // wrong
    client.debug().advance_clock("P1D").send()?; // wrong
    client.debug().advance_clock(86_400).send()?; // wrong
    client.file().open("/tmp/x").flags([FileFlag::Readonly]).send()?; // wrong
    client.file().read("handle", 1).send()?; // wrong
    client.enforcement().filter_share_targets([ShareTarget::new("id")]).send()?; // wrong
    println!("{}", ErrorName::PolicyNeeded); // wrong
    client.policy().is_pin_required().timeout(5).send()?; // wrong
    client.policy().is_pin_required().timeout(Duration::from_secs(5)).cancel("token").send()?; // wrong
    Ok(())
}

fn heard(event: Event) {
    match event {
        Event::PolicyDidChange(change) => println!("{}", change.sequence), // wrong
        Event::PolicyChanged(change) => println!("{change:?}"),            // wrong
        _ => {}
    }
}

fn main() -> Result<()> {
    host_with_typos();
    let client = Client::builder().host(host()).on_event(|_, event| heard(event)).spawn("mambridge", ["--help"])?;
    ask(&client)?;
    ask_with_typos(&client)
}
