import type { GroupKind } from '../owner.ts';
import { injectorsOf } from '../kinds/admitting.ts';
import type { PodInjector } from '../kinds/pod-injector.ts';
import { kinds } from './registry.ts';

/** What the registered kinds add to new pods of any owner. */
export const podInjectors: readonly PodInjector[] = injectorsOf(kinds);

/** The kind of this group and name, in any version; undefined: it adds nothing to pods. */
export function podInjectorOf({ group, kind }: GroupKind): PodInjector | undefined {
  return podInjectors.find(({ id }) => id.group === group && id.kind === kind);
}
