internal import ArgumentParser

/// The pages of `agonyfs help` that belong to no command, such as `agonyfs help queries`. They are commands that only
/// show their help, because the argument parser has help only for commands.
enum HelpPages {
  struct Queries: ParsableCommand {
    static let configuration = page("queries", "How to ask for photos.", HelpText.queries)
  }

  struct Fields: ParsableCommand {
    static let configuration = page("fields", "Fields that agonyfs list prints.", HelpText.fields)
  }

  struct MountOptions: ParsableCommand {
    static let configuration = page(
      "mount-options", "Options of agonyfs mount -o and of /etc/fstab.", HelpText.mountOptions)
  }

  struct Statuses: ParsableCommand {
    static let configuration = page("statuses", "Exit statuses of all commands.", HelpText.statuses)
  }

  struct Limits: ParsableCommand {
    static let configuration = page("limits", "What agonyfs does not protect against.", HelpText.limits)
  }

  private static func page(_ name: String, _ abstract: String, _ text: String) -> CommandConfiguration {
    CommandConfiguration(
      commandName: name, abstract: abstract, usage: "agonyfs help \(name)", discussion: text, shouldDisplay: false)
  }
}
