import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { RowOf } from '../kinds/lowering.ts';
import type { NativeForm } from '../kinds/pod-injector.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { listOf, objectOf } from '../values/read.ts';
import { normalizeSidecarSet, type NormalSidecarSet } from './normalize.ts';

type Row = RowOf<NormalSidecarSet>;

/** Why a set stays one of containers (OpenKruise sidecarset, section 12.2). */
const STAYS: readonly Row[] = [
  {
    what: 'upgradeType HotUpgrade',
    instead: 'two halves that take turns are containers',
    applies: ({ containers }) => containers.some(({ emptyImage }) => emptyImage !== undefined),
  },
];

/** What is lost where containers of a set become init containers with restartPolicy Always. */
const LOSSES: readonly Row[] = [
  {
    what: 'updates of running pods',
    instead: 'a changed image changes the templates, so that pods are created anew',
    applies: ({ isRolling }) => isRolling,
  },
  {
    what: 'init containers of the set with later names',
    instead:
      'they run after the sidecar has started, as init containers of a set run in the order of their names',
    applies: ({ initContainers, containers }) =>
      initContainers.some(
        (init) => !init.isNative && containers.some(({ name }) => compareCodePoints(name, init.name) < 0),
      ),
  },
];

/** What is different for each of them: clauses. */
const DIFFERS: readonly string[] = [
  'the containers of the pod start when the sidecar has started, which its startupProbe says',
  'those of several sets start in the order of their names, and end after the containers of the pod, in reverse',
  'it keeps no Job from its end, and its exit code decides nothing',
  'it is started again whenever it ends, whatever the restartPolicy of the pod is',
  'its state is among those of init containers',
  'it needs Kubernetes 1.29',
];

/**
 * A set whose containers are native sidecars: init containers with restartPolicy Always, after those of the pod. It has the same
 * containers otherwise, so that a webhook gives them to new pods alike.
 */
function nativeSet(object: KubeObject): ReturnType<NativeForm['of']> {
  const read = normalizeSidecarSet(object);
  const stays = STAYS.filter((row) => row.applies(read));
  if (stays.length > 0) return { stays };
  const losses = LOSSES.filter((row) => row.applies(read));
  const spec = objectOf(object['spec']);
  const { containers, initContainers, updateStrategy: _, ...rest } = spec;
  const natives = listOf(containers).map(
    ({ podInjectPolicy: _policy, upgradeStrategy: _up, ...own }): JsonObject => ({
      ...own,
      restartPolicy: 'Always',
    }),
  );
  if (natives.length === 0) return { object, losses: [] };
  return {
    object: {
      ...object,
      spec: {
        ...rest,
        initContainers: [...listOf(initContainers), ...natives],
        updateStrategy: { type: 'NotUpdate' },
      },
    },
    losses,
  };
}

/** SidecarSets as native sidecars. */
export const nativeSidecars: NativeForm = { stays: STAYS, losses: LOSSES, differs: DIFFERS, of: nativeSet };
