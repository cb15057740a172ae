import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Component } from '../semantics/kinds/need.ts';
import { PROTECTION_LABEL } from '../semantics/protection/label.ts';
import { kinds as registered } from '../semantics/registry/registry.ts';
import { listed } from '../semantics/values/listed.ts';
import { reviewRights, rightsText } from './review-rights.ts';
import {
  claimRights,
  componentRights,
  kindsWithin,
  neededRights,
  type Right,
  type RuntimeScope,
  textOf,
} from './rights.ts';

/** A component of deploy/ whose rights are missing. */
export interface OffComponent {
  component: Component;
  /** What does not happen without it, and why. */
  text: string;
}

const ALL: readonly Component[] = [
  'launch-everywhere',
  'native-workloads',
  'cascading-protection',
  'distributions',
  'secrets',
  'container-exec',
];

/**
 * The components that the kinds of this scope use and whose rights are missing. What RBAC grants decides, and no setting, which could say
 * something else.
 *
 * @param lackingOf asks the server which rights are missing
 */
export async function offComponents(
  where: RuntimeScope,
  lackingOf: (rights: readonly Right[]) => Promise<readonly Right[]>,
): Promise<OffComponent[]> {
  const kinds = kindsWithin(registered, where);
  const off: OffComponent[] = [];
  // A component may have rights that every installation has: the preflight asks for those.
  const usual = new Set([...neededRights(kinds, where), ...claimRights(kinds, where)].map(textOf));
  for (const component of ALL) {
    const wanted = componentRights(component, kinds, where).filter((right) => !usual.has(textOf(right)));
    const lacking = wanted.length === 0 ? [] : await lackingOf(wanted);
    if (lacking.length === 0) continue;
    const scope = where.namespace === undefined ? 'in the cluster' : `in namespace ${where.namespace}`;
    const what = effectOf(component, kinds, where);
    off.push({ component, text: `${what}: the runtime may not ${rightsText(lacking)} ${scope}` });
  }
  return off;
}

/** What does not happen without a component. A Role for one namespace has the rights to its ConfigMaps as shipped. */
function effectOf(component: Component, kinds: readonly Kind[], { namespace }: RuntimeScope): string {
  if (component === 'launch-everywhere') {
    const [name, but] =
      namespace === undefined
        ? [` (component ${component})`, ', but for namespaces with a RoleBinding to kruise-runtime-launch']
        : ['', ''];
    return `off${name}: no pod with a launch order of its containers is created, and one of another owner waits${but}`;
  }
  if (component === 'container-exec')
    return `off (component ${component}): no container is restarted by a signal whose image cannot be named anew`;
  if (component === 'cascading-protection')
    return `off (component ${component}): no Namespace and no definition is protected by ${PROTECTION_LABEL}=Cascading`;
  const users = kinds.filter(({ uses }) => childrenOf(uses, component).length > 0);
  const plurals = kinds.flatMap(({ uses }) => childrenOf(uses, component));
  return `off (component ${component}): no ${listed([...new Set(users.map(({ id }) => id.kind))], 'or')} creates ${listed([...new Set(plurals)], 'or')}`;
}

const childrenOf = (uses: Kind['uses'], component: Component): string[] =>
  uses.flatMap((use) => (use.of === 'Children' && use.component === component ? [use.resource.plural] : []));

/** How often the server is asked again while components are off. */
const REPEAT_MS = 5 * 60_000;

/** The components that are off: each until its rights are granted. */
export interface Components {
  isOff(component: Component): boolean;
  /** Takes the result of a preflight; while components are off, the server is asked again. */
  found(off: readonly OffComponent[]): void;
  stop(): void;
}

export interface ComponentsOptions {
  clock: Clock;
  cluster: Cluster;
  where: RuntimeScope;
  /** Called with each component that is off no more. */
  onGranted(component: Component): void;
}

export function createComponents({ clock, cluster, where, onGranted }: ComponentsOptions): Components {
  let off: readonly Component[] = [];
  let cancel = (): void => {};
  let stopped = false;

  function schedule(): void {
    cancel();
    if (!stopped && off.length > 0) cancel = clock.after(REPEAT_MS, () => void repeat());
  }

  async function repeat(): Promise<void> {
    const lackingOf = async (rights: readonly Right[]) => (await reviewRights(cluster, rights)).lacking;
    const answer = await offComponents(where, lackingOf).catch(() => undefined);
    if (stopped) return;
    const still = new Set(answer?.map(({ component }) => component) ?? off);
    const granted = off.filter((component) => !still.has(component));
    off = off.filter((component) => still.has(component));
    schedule();
    granted.forEach(onGranted);
  }

  return {
    isOff: (component) => off.includes(component),
    found(answer) {
      off = answer.map(({ component }) => component);
      schedule();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
