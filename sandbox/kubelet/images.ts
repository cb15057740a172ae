import { createHash } from 'node:crypto';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** How containers of an image behave. What is absent goes by the world's timings, and well. */
export interface ImageBehaviour {
  /** `sha256:…`; two images with the same digest are the same image under two names. */
  digest?: string;
  pullMs?: number;
  /** Pulling fails, for as long as this stands. */
  pullError?: boolean;
  startMs?: number;
  /** Ready this long after its start; where a startup or readiness probe asks, it answers well from then on. */
  readyMs?: number;
  neverReady?: boolean;
  /** What its probes find fails, for as long as this stands … */
  failingProbes?: readonly ProbeKind[];
  /** … and its liveness probe this long after each start. */
  unhealthyAfterMs?: number;
  /** How long its postStart and preStop hooks take, where the container has them. */
  postStartMs?: number;
  preStopMs?: number;
  stopMs?: number;
  /** Exits with an error this long after each start … */
  crashAfterMs?: number;
  /** … this many times in one pod, then stays up. Absent: always. */
  times?: number;
  /** Exits by itself this long after its start, with `exitCode` (0). */
  exitAfterMs?: number;
  exitCode?: number;
}

/** Endings of tags that say how an image misbehaves, for whoever can say it in no other way. */
const misbehaviour: Readonly<Record<string, ImageBehaviour>> = {
  missing: { pullError: true },
  crashing: { crashAfterMs: 2_000 },
  unready: { neverReady: true },
};

/**
 * How an image behaves by its tag: `web:2-missing` cannot be pulled, `web:2-crashing` exits two seconds after each
 * start, `web:2-unready` never gets ready. Undefined for every other.
 */
export function behaviourByTag(image: string): ImageBehaviour | undefined {
  const ending = /:(?:[^:/@]*-)?([a-z]+)$/.exec(image)?.[1] ?? '';
  return Object.hasOwn(misbehaviour, ending) ? misbehaviour[ending] : undefined;
}

/** What the registries of this world hold: every image, well-behaved unless said otherwise. */
export interface Images {
  set(image: string, behaviour: ImageBehaviour): void;
  of(image: string): ImageBehaviour;
  /** `repository@sha256:…`. */
  idOf(image: string): string;
  /** In bytes. */
  sizeOf(image: string): number;
}

function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^:/]+$/, '');
}

/** Whether a probe finds well what it asks a container of an image for, `elapsedMs` after its start. */
export function answersProbe(behaviour: ImageBehaviour, kind: ProbeKind, elapsedMs: number): boolean {
  if (behaviour.failingProbes?.includes(kind) === true) return false;
  if (kind === 'liveness') return elapsedMs < (behaviour.unhealthyAfterMs ?? Number.POSITIVE_INFINITY);
  return behaviour.neverReady !== true && elapsedMs >= (behaviour.readyMs ?? 0);
}

const rememberedHashes = 1000;

/** `byName`: how images behave that nobody has `set`. */
export function createImages(
  byName: (image: string) => ImageBehaviour | undefined = () => undefined,
): Images {
  const behaviours = new Map<string, ImageBehaviour>();
  const wellBehaved: ImageBehaviour = {};
  const of = (image: string) => behaviours.get(image) ?? byName(image) ?? wellBehaved;
  const hashes = new Map<string, string>();

  function hashOf(text: string): string {
    let hash = hashes.get(text);
    if (hash === undefined) {
      hash = createHash('sha256').update(text).digest('hex');
      if (hashes.size >= rememberedHashes) hashes.clear();
      hashes.set(text, hash);
    }
    return hash;
  }
  return {
    set: (image, behaviour) => behaviours.set(image, { ...behaviour }),
    of,
    idOf(image) {
      const pinned = /@(.+)$/.exec(image)?.[1];
      const digest = of(image).digest ?? pinned ?? `sha256:${hashOf(image)}`;
      return `${repositoryOf(image)}@${digest}`;
    },
    // Somewhere between ten and a hundred and forty megabytes, the same each time.
    sizeOf: (image) => 10_000_000 + (Number.parseInt(hashOf(image).slice(0, 8), 16) % 130_000_000),
  };
}
