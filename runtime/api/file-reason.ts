const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it does not exist',
};

/** Why a file could not be read, as a short clause. */
export function reasonOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && Object.hasOwn(reasons, code)) return reasons[code] ?? code;
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
