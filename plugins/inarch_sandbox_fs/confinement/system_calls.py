"""Numbers of the system calls that are refused or looked at, on x86_64 and aarch64 (None: not there)."""

from __future__ import annotations

_BOTH: dict[str, tuple[int | None, int | None]] = {
    # permissions, owners, times and extended attributes: Landlock leaves them open
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "truncate": (76, 45),
    # making and opening
    "open": (2, None),
    "creat": (85, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "mknod": (133, None),
    "mknodat": (259, 33),
    # talking to others
    "socket": (41, 198),
    "socketpair": (53, 199),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "prlimit64": (302, 261),
    # reaching into others
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "clone": (56, 220),
    "clone3": (435, 435),
    # wide doors into the kernel
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "open_by_handle_at": (304, 265),
    "ioctl": (16, 29),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    # the machine itself
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "iopl": (172, None),
    "ioperm": (173, None),
    # becoming another program
    "execve": (59, 221),
    "execveat": (322, 281),
}

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # of x86_64: set in the number of a call of the 32-bit-pointer interface


def numbers_of(architecture: str) -> dict[str, int]:
    """Return name → number of those that the architecture has."""
    column = ("x86_64", "aarch64").index(architecture)
    return {name: number for name, both in _BOTH.items() if (number := both[column]) is not None}
