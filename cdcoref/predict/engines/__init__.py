"""Where stories are linked: in this process, or on the workers of a Ray cluster; results can be cached."""
