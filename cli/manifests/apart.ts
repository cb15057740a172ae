import type { CompilerHost } from '../../compiler/host.ts';
import { isInside, joinPath } from '../../compiler/load/files.ts';

/*
 * The folder that a build writes and what it reads are apart, whatever links are in their paths: else the next run would read what
 * this one has written, or this one would write over its source.
 */

/** A path with its links resolved, whether its end exists or not. */
function realPath(host: Pick<CompilerHost, 'inspect'>, path: string): string {
  for (let at = path; ; at = joinPath(at, '..')) {
    const real = host.inspect(at)?.real;
    if (real !== undefined) return joinPath(real, `./${path.slice(at.length)}`);
    if (at === '/') return path;
  }
}

/** Whether one of two paths is inside of the other, as they are written or with their links resolved. */
export function areApart(host: Pick<CompilerHost, 'inspect'>, one: string, other: string): boolean {
  const meet = (a: string, b: string): boolean => isInside(a, b) || isInside(b, a);
  return !meet(one, other) && !meet(realPath(host, one), realPath(host, other));
}
