import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The paths of all files that are or would be tracked, sorted. */
export function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(path)).sort();
}
