import type { Host } from '../host.ts';

/** Whether the run is one of CI: the variable `CI` is set, and not to something that means no. */
export function isCI({ CI }: Host['env']): boolean {
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
}
