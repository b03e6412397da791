package io.fathom.tools.cli;

/// How a command prints.
enum Output {
    TABLE,
    JSON
}
