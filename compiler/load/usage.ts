import { limitText } from './limits.ts';
import type { RunLimit } from './limits.ts';

/** What each folder has taken of the limits of a run. */
interface Usage {
  /** What follows is taken by the folder of a place, as shown. */
  enter(place: string): void;
  add(limit: RunLimit, count: number): void;
  /** The folder that has taken most of a limit; undefined: nothing of it was taken in a folder. */
  most(limit: RunLimit): string | undefined;
  /** What was taken of the limits that say how much was read. */
  text(used: (limit: RunLimit) => number): string;
}

/** A folder is named by this many parts of its path: an application, and not each of its files. */
const PARTS = 2;

/** It is read for each root and each state, and cannot be ignored. */
const CONFIGURATION = /(^|[:/])kruise\.yaml$/;

const READ: readonly RunLimit[] = [
  'readBytes',
  'files',
  'entries',
  'gitBytes',
  'gitNames',
  'printedBytes',
  'tokens',
];

export function createUsage(): Usage {
  const folders = new Map<string, Map<RunLimit, number>>();
  let current: Map<RunLimit, number> | undefined;
  return {
    enter(place) {
      current = undefined;
      if (CONFIGURATION.test(place)) return;
      const folder = folderOf(place);
      current = folders.get(folder) ?? new Map();
      folders.set(folder, current);
    },
    add(limit, count) {
      if (Number.isFinite(count)) current?.set(limit, (current.get(limit) ?? 0) + count);
    },
    most(limit) {
      let found: { folder: string; count: number } | undefined;
      for (const [folder, taken] of folders) {
        const count = taken.get(limit) ?? 0;
        if (count > (found?.count ?? 0)) found = { folder, count };
      }
      return found?.folder;
    },
    text: (used) =>
      READ.filter((limit) => used(limit) > 0)
        .map((limit) => limitText(limit, used(limit)))
        .join(', '),
  };
}

/** `main:apps/shop/web.yaml` and `apps/shop/web.yaml` are in `apps/shop`: one list of what is ignored is for both states. */
function folderOf(place: string): string {
  const parts = place.slice(place.indexOf(':') + 1).split('/');
  return parts.slice(0, Math.max(1, Math.min(PARTS, parts.length - 1))).join('/');
}
