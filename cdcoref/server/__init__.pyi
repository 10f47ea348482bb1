from .running import Server as Server
from .running import serve as serve
from .server_options import ServerOptions as ServerOptions
from .server_options import check_installed as check_installed
from .server_options import is_loopback as is_loopback
from .server_options import new_token as new_token
from .server_options import read_token as read_token
