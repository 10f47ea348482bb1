"""A collection as a site: a `.cdcoref` file in, pages and a JSON API over it out.

`serve` runs until it is interrupted; `Server` runs in a thread, for programs. People search, read, correct and add
documents; corrections and additions are stored one after the other, while any number of readers look on. Needs the
extra `serve`.
"""

from cdcoref.server.running import Server, serve
from cdcoref.server.server_options import ServerOptions, check_installed, is_loopback, new_token, read_token

__all__ = ["Server", "ServerOptions", "check_installed", "is_loopback", "new_token", "read_token", "serve"]
