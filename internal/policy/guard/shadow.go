package guard

import (
	"path"
	"strings"
)

// shadowed are modules that a file of the same name would take the place of,
// since Python looks first where the program lies: its standard library (3.10 to
// 3.13, sys.stdlib_module_names), and what test runners and measurements import.
var shadowed = set(`
__future__ _abc _aix_support _android_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022
_codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses
_curses_panel _datetime _dbm _decimal _elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _interpchannels
_interpqueues _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode
_opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc _pydatetime _pydecimal _pyio _pylong _pyrepl _queue
_random _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct
_suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _wmi
_zoneinfo abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi
cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes
curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr
imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap
modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle
pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue
quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr
socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys
sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc
tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc
zipapp zipfile zipimport zlib zoneinfo
`, "_pytest pluggy iniconfig packaging exceptiongroup tomli pytest py attr attrs hypothesis coverage nose tox numpy pandas scipy torch")

func set(lists ...string) map[string]bool {
	s := map[string]bool{}
	for _, l := range lists {
		for _, name := range strings.Fields(l) {
			s[name] = true
		}
	}
	return s
}

// shadows reports whether a new file or link would be imported in place of a
// module that exists: one of Node's, or of Python's a module, an extension, a
// package, or a link to one, or of either a file where a frozen folder was meant.
func shadows(e Edit) bool {
	if strings.Contains("/"+e.Path, "/node_modules/") {
		return true
	}
	base := path.Base(e.Path)
	name, ending, _ := strings.Cut(base, ".")
	switch {
	case e.Link && ending == "":
		return shadowed[base]
	case ending == "":
		return false
	case name == "__init__":
		name = path.Base(path.Dir(e.Path))
	}
	switch path.Ext(base) {
	case ".py", ".pyc", ".pyo", ".pyd", ".so", ".dll", ".dylib":
		return e.Beside || shadowed[name]
	case ".js", ".cjs", ".mjs", ".json", ".node", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".rb", ".php", ".lua":
		return e.Beside
	}
	return false
}
