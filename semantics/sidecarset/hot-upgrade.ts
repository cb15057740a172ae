import { declaredImageOf } from '../pod/recreated.ts';
import type { Pod } from '../pod/types.ts';
import { textOf } from '../values/read.ts';
import type { HotPair } from './hot-pair.ts';
import type { Sidecar } from './normalize.ts';
import { OTHER_VERSION_PREFIX, VERSION_PREFIX } from './resource.ts';

/** What a write changes of the hot pairs of a pod. */
export interface PairChanges {
  /** Images by container. */
  images: Readonly<Record<string, string>>;
  /** The half that works from now on, by the name of the sidecar. */
  working: Readonly<Record<string, string>>;
  /** Annotations of versions. The variables of both halves refer to them. */
  versions: Readonly<Record<string, string>>;
}

/** The version of an idle half. */
const NONE = '0';
/** The version of the first working half of a pod. */
const FIRST = '1';

/**
 * The first half of an upgrade (OpenKruise sidecarset, rule 6.10): of each pair whose sidecar has another image, the idle half
 * gets it, works from now on, and has a later version than the other half. So it takes over from that one when it starts.
 *
 * @param setVersion the resourceVersion of the set
 */
export function startUpgrade(
  pod: Pod,
  pairs: readonly HotPair[],
  to: readonly Sidecar[],
  setVersion: string | undefined,
): PairChanges {
  return changesOf(pairs, ({ name, working, other }) => {
    const image = textOf(to.find((each) => each.name === name)?.container['image']);
    if (image === '' || image === declaredImageOf(pod, working)) return undefined;
    const before = pod.metadata.annotations?.[VERSION_PREFIX + working] ?? FIRST;
    const version = laterVersion(setVersion, before);
    return {
      images: { [other]: image },
      working: { [name]: other },
      versions: {
        [VERSION_PREFIX + other]: version,
        [OTHER_VERSION_PREFIX + other]: before,
        [OTHER_VERSION_PREFIX + working]: version,
      },
    };
  });
}

/** The second half of an upgrade: the old half of each pair gets the empty image, and no version. */
export function resetOld(pairs: readonly HotPair[]): PairChanges {
  return changesOf(pairs, ({ working, other, emptyImage, isChanging }) =>
    isChanging ? idle(other, working, emptyImage) : undefined,
  );
}

/** The end of an upgrade that fails: the new half of each pair gets the empty image, and the old one works on. */
export function takeBackNew(pairs: readonly HotPair[]): PairChanges {
  return changesOf(pairs, ({ name, working, other, emptyImage, isChanging }) =>
    isChanging ? { ...idle(working, other, emptyImage), working: { [name]: other } } : undefined,
  );
}

function idle(half: string, working: string, emptyImage: string): PairChanges {
  return {
    images: { [half]: emptyImage },
    working: {},
    versions: { [VERSION_PREFIX + half]: NONE, [OTHER_VERSION_PREFIX + working]: NONE },
  };
}

function changesOf(
  pairs: readonly HotPair[],
  change: (pair: HotPair) => PairChanges | undefined,
): PairChanges {
  const all = pairs.flatMap((pair) => change(pair) ?? []);
  const merged = (field: keyof PairChanges): Record<string, string> =>
    Object.assign({}, ...all.map((each) => each[field])) as Record<string, string>;
  return { images: merged('images'), working: merged('working'), versions: merged('versions') };
}

/**
 * The version of the set, where it is later than that of the half that works. After a restore of the cluster it may be
 * earlier, and the new half would not take over.
 */
function laterVersion(setVersion: string | undefined, before: string): string {
  const [given, present] = [setVersion ?? '', before].map((text) => (/^\d+$/.test(text) ? BigInt(text) : 0n));
  if (given === undefined || present === undefined || given > present) return setVersion ?? '';
  return String(present + 1n);
}
