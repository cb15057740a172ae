import { adoptedNodes } from './of-adopted-nodes.ts';
import { adoptions } from './of-adoption.ts';
import { basics } from './basics.ts';
import { budgets } from './of-budgets.ts';
import { budgetsAndNodes } from './of-budgets-and-nodes.ts';
import { protection } from './of-protection.ts';
import { failures } from './of-failures.ts';
import { merges } from './of-merges.ts';
import { sizes } from './of-sizes.ts';
import { clusterFailures } from './of-cluster-failures.ts';
import { reverts } from './of-reverts.ts';
import { claims } from './of-claims.ts';
import { modes } from './of-modes.ts';
import { hooks } from './of-hooks.ts';
import { hotUpgrades } from './of-hot-upgrades.ts';
import { lostNodes } from './of-lost-nodes.ts';
import { onNodes } from './of-nodes.ts';
import { ordinals } from './of-ordinals.ts';
import { pullWaves } from './of-pull-waves.ts';
import { pulls } from './of-pulls.ts';
import { queues } from './of-queues.ts';
import { resizes } from './of-resizes.ts';
import { checks } from './of-checks.ts';
import { copiesInNamespaces } from './of-copies.ts';
import { podsInSubsets } from './of-spreads.ts';
import { inZones } from './of-zones.ts';
import { containers } from './of-containers.ts';
import { restarts } from './of-restarts.ts';
import { deletions } from './of-deletions.ts';
import { runs } from './of-runs.ts';
import { runsAndNodes } from './of-runs-and-nodes.ts';
import { sharedPods } from './of-shared-pods.ts';
import { selections } from './of-selections.ts';
import { sidecars } from './of-sidecars.ts';
import { schedules } from './of-schedules.ts';
import { versions } from './of-versions.ts';
import { windows } from './of-windows.ts';
import type { Story } from './story.ts';

/** Every story, in the order in which they are played. */
export const stories: readonly Story[] = [
  ...basics,
  ...merges,
  ...reverts,
  ...failures,
  ...sizes,
  ...clusterFailures,
  ...modes,
  ...queues,
  ...checks,
  ...pulls,
  ...pullWaves,
  ...claims,
  ...deletions,
  ...containers,
  ...restarts,
  ...hooks,
  ...resizes,
  ...versions,
  ...windows,
  ...ordinals,
  ...lostNodes,
  ...adoptions,
  ...onNodes,
  ...adoptedNodes,
  ...runs,
  ...runsAndNodes,
  ...schedules,
  ...sidecars,
  ...selections,
  ...hotUpgrades,
  ...sharedPods,
  ...budgets,
  ...budgetsAndNodes,
  ...protection,
  ...copiesInNamespaces,
  ...podsInSubsets,
  ...inZones,
];
