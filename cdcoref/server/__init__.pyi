from .running import Server as Server
from .running import ServerOptions as ServerOptions
from .running import is_loopback as is_loopback
from .running import new_token as new_token
from .running import read_token as read_token
from .running import serve as serve
