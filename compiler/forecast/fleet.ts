import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { GitUnits } from '../../semantics/kinds/git-units.ts';
import { nodeOfPod } from '../../semantics/node/placement.ts';
import { isUpdateReady } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { ModelNode } from './node-model.ts';

/** What a step does to the nodes of a model. */
export interface StepOnNodes {
  /** The most nodes at one time that have no available pod. */
  unavailable: number;
  /** The highest share of each zone that has none at one time, in percent, rounded up. */
  zones: readonly number[];
}

/** What a rollout does to nodes. */
export interface FleetForecast {
  /** In how many failure domains of one size the nodes of the model are. */
  zones: number;
  /** One for each step of the plan. `updated`: the nodes on the new revision when it is done. */
  rows: readonly ({ id: string; updated: number } & StepOnNodes)[];
}

/** What the simulation of a plan found, as far as it is about nodes. */
interface Simulated {
  steps: readonly { updatedPods: number }[];
  onNodes: readonly StepOnNodes[] | undefined;
}

/**
 * What the simulation of a plan says of nodes; undefined: the units are none, or nothing was simulated. A step that is done when it
 * starts takes no time, and leaves as many on the new revision as the one before.
 *
 * @param done how many nodes have the change already
 */
export function fleetForecast(
  units: GitUnits,
  steps: readonly Step[],
  simulation: Simulated | undefined,
  done: number,
): FleetForecast | undefined {
  if (units.of !== 'nodes' || simulation?.onNodes === undefined) return undefined;
  const { onNodes, steps: simulated } = simulation;
  let updated = done;
  const rows = steps.map(({ id }, index) => ({
    id,
    updated: (updated = Math.max(updated, simulated[index]?.updatedPods ?? 0)),
    unavailable: onNodes[index]?.unavailable ?? 0,
    zones: onNodes[index]?.zones ?? [],
  }));
  return { zones: units.zones, rows };
}

/** Watches the nodes of a model while a rollout is simulated. */
export interface FleetWatch {
  /** Records what is there during a step; returns how many nodes have an available pod. */
  observe(step: number, pods: readonly Pod[], now: number): number;
  /** What each step has done so far; of one that was not observed nothing. */
  steps(count: number): StepOnNodes[];
}

/** @param minReadySeconds of the target */
export function watchFleet(nodes: readonly ModelNode[], zones: number, minReadySeconds: number): FleetWatch {
  const zoneOf = new Map(nodes.map(({ node, zone }) => [node.metadata.name, zone] as const));
  const sizes = Array.from({ length: zones }, (_, zone) => nodes.filter((each) => each.zone === zone).length);
  const most = new Map<number, { unavailable: number; zones: number[] }>();
  return {
    observe(step, pods, now) {
      const available = new Set(
        pods.filter((pod) => isUpdateReady(pod, minReadySeconds, now)).map(nodeOfPod),
      );
      const lacking = sizes.slice();
      for (const name of available) {
        const zone = zoneOf.get(name);
        if (zone !== undefined) lacking[zone] = (lacking[zone] ?? 0) - 1;
      }
      const known = most.get(step) ?? { unavailable: 0, zones: sizes.map(() => 0) };
      most.set(step, {
        unavailable: Math.max(known.unavailable, nodes.length - available.size),
        zones: known.zones.map((before, zone) => Math.max(before, lacking[zone] ?? 0)),
      });
      return available.size;
    },
    steps: (count) =>
      Array.from({ length: count }, (_, step): StepOnNodes => {
        const { unavailable, zones: lacking } = most.get(step) ?? {
          unavailable: 0,
          zones: sizes.map(() => 0),
        };
        return {
          unavailable,
          zones: lacking.map((nodesWithout, zone) => percentOf(nodesWithout, sizes[zone] ?? 0)),
        };
      }),
  };
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.ceil((100 * part) / whole);
}
