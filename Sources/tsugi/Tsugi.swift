import ArgumentParser

@main
struct Tsugi: ParsableCommand {
}
