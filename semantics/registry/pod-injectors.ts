import { sidecarSetInjector } from '../sidecarset/injector.ts';
import type { GroupKind } from '../owner.ts';
import type { PodInjector } from '../kinds/pod-injector.ts';

/** The list of kinds that add to new pods of any owner. */
export const podInjectors: readonly PodInjector[] = [sidecarSetInjector];

/** The kind of this group and name, in any version; undefined: it adds nothing to pods. */
export function podInjectorOf({ group, kind }: GroupKind): PodInjector | undefined {
  return podInjectors.find(({ id }) => id.group === group && id.kind === kind);
}
