import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Every file that is or would be tracked, by its path below the repository, sorted. */
export function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(path)).sort();
}
