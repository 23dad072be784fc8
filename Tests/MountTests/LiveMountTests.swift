import Testing

/// Everything that mounts for real, one after the other.
@Suite(.serialized) struct LiveMountTests {}
