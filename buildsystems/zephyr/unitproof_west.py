"""west unitproof: checks the unit proofs of a Zephyr application.

The compile commands are those of the application's build (west build), so proofs are compiled with the headers of
Zephyr, of its modules and of the board, and for the machine of the board.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from west.commands import WestCommand

DATABASE = 'compile_commands.json'


class Unitproof(WestCommand):
    def __init__(self):
        super().__init__(
            'unitproof',
            '',  # the help is that of west-commands.yml
            'Runs "unitproof check" with the compile commands of a build. Without files or folders, all proofs of the '
            'application are checked. Other flags are those of "unitproof check", with "=": --unwind=8',
            accepts_unknown_args=True,
        )

    def do_add_parser(self, parser_adder):
        parser = parser_adder.add_parser(
            self.name, help=self.help, description=self.description,
            formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument('-d', '--build-dir', type=Path, help='the folder of the build; default: build, else the current one')
        parser.add_argument('--program', default='unitproof', help='the program; default: unitproof in PATH')
        parser.add_argument('files', nargs='*', metavar='FILE.c|FOLDER')
        return parser

    def do_run(self, args, unknown):
        program = shutil.which(args.program)
        if program is None:
            self.die(f'there is no program {args.program}: install it, or name it with --program')
        build = self.build_folder(args.build_dir)
        files = args.files or [str(self.application(build))]
        command = [program, 'check', '--compile-commands', str(build / DATABASE), *unknown, *files]
        self.dbg('runs', command)
        status = subprocess.run(command).returncode
        if status:
            sys.exit(status)

    def build_folder(self, named):
        """Returns the folder of the build; it has the compile commands."""
        candidates = [named] if named else [Path('build'), Path('.')]
        for folder in candidates:
            if (folder / DATABASE).is_file():
                return folder.resolve()
            # With sysbuild each image has a folder of its own; domains.yaml names the application's.
            default = self.default_domain(folder)
            if default and (default / DATABASE).is_file():
                return default.resolve()
        self.die(f'{candidates[0] / DATABASE} is missing: run "west build" first, or name the build with --build-dir')

    @staticmethod
    def default_domain(build):
        """Returns the folder of the default image of a build with sysbuild, or None."""
        try:
            lines = (build / 'domains.yaml').read_text().splitlines()
        except OSError:
            return None
        for line in lines:
            key, _, value = line.partition(':')
            if key == 'default':
                return build / value.strip().strip('\'"')
        return None

    def application(self, build):
        """Returns the folder of the sources of an application, from the cache of CMake, else the current one."""
        try:
            with open(build / 'CMakeCache.txt') as cache:
                for line in cache:
                    key, _, value = line.rstrip('\n').partition('=')
                    if key.startswith('APPLICATION_SOURCE_DIR:') or key.startswith('CMAKE_HOME_DIRECTORY:'):
                        if os.path.isdir(value):
                            return Path(value)
        except OSError:
            pass
        return Path.cwd()
