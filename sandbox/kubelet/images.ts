import { createHash } from 'node:crypto';

/** How containers of an image behave. What is absent goes by the world's timings, and well. */
export interface ImageBehaviour {
  /** `sha256:…`; two images with the same digest are the same image under two names. */
  digest?: string;
  pullMs?: number;
  /** Pulling fails, for as long as this stands. */
  pullError?: boolean;
  startMs?: number;
  readyMs?: number;
  neverReady?: boolean;
  stopMs?: number;
  /** Exits with an error this long after each start … */
  crashAfterMs?: number;
  /** … this many times in one pod, then stays up. Absent: always. */
  times?: number;
  /** Exits by itself this long after its start, with `exitCode` (0). */
  exitAfterMs?: number;
  exitCode?: number;
}

/** What the registries of this world hold: every image, well-behaved unless said otherwise. */
export interface Images {
  set(image: string, behaviour: ImageBehaviour): void;
  of(image: string): ImageBehaviour;
  /** `repository@sha256:…`. */
  idOf(image: string): string;
}

function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^:/]+$/, '');
}

export function createImages(): Images {
  const behaviours = new Map<string, ImageBehaviour>();
  const wellBehaved: ImageBehaviour = {};
  const of = (image: string) => behaviours.get(image) ?? wellBehaved;
  return {
    set: (image, behaviour) => behaviours.set(image, { ...behaviour }),
    of,
    idOf(image) {
      const pinned = /@(.+)$/.exec(image)?.[1];
      const digest =
        of(image).digest ?? pinned ?? `sha256:${createHash('sha256').update(image).digest('hex')}`;
      return `${repositoryOf(image)}@${digest}`;
    },
  };
}
