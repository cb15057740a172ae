import { HostError } from '../../compiler/host.ts';

const REASONS: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EEXIST: 'it exists already',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ELOOP: 'it is a link, or its links form a loop',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
};

/** Explains the code of a failed system call in a few words; returns rare codes unchanged. */
export function reasonOf(code: string): string {
  return REASONS[code] ?? code;
}

/** The code of a failed system call; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Runs a function and converts the error of a failed system call to a `HostError`. */
export function attempt<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new HostError(reasonOf(code));
  }
}
