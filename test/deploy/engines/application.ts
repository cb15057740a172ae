import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Scripts } from '../health/lua.ts';
import { type Engine, type Files, objectsOf, resourceOf } from './engine.ts';
import type { Stage } from './stage.ts';

type Outcome = 'running' | 'succeeded' | 'failed';

/** An Application of Argo CD that syncs by itself. */
export interface Application {
  /** Asks for a sync of this git state; false: another operation is in progress. */
  sync(files: Files): Promise<boolean>;
  /** One look at the operation that runs, or at the last one. */
  advance(): Promise<Outcome>;
}

/** What comes after the objects of git in the same sync, and waits for their health. */
interface Later {
  /** What is to be pruned. */
  pruneLast?: boolean;
  /** A wave of other objects, or a PostSync hook. */
  wave?: boolean;
}

/**
 * Syncs as the sync engine of Argo CD does. Everything is applied in one wave, and pruned in the same one. With `PruneLast` what is to be
 * pruned has a wave of its own. Before a later wave or a hook begins, all objects have to be Healthy. A Degraded one ends the operation as
 * failed; anything else keeps it running, and while it runs no other begins.
 */
export function createApplication(
  stage: Stage,
  engine: Engine,
  lua: Scripts,
  { pruneLast = false, wave = false }: Later,
): Application {
  let waiting: Files | undefined;
  let last: Outcome = 'succeeded';

  async function healthOf(object: KubeObject): Promise<unknown> {
    const resource = resourceOf(object);
    // Argo CD takes an object without a check for healthy.
    if (resource.group === '') return 'Healthy';
    const { namespace, name } = object.metadata;
    const live = await stage.user.get(resource, { name, ...(namespace !== undefined && { namespace }) });
    const key = `${resource.group}_${resource.kind}`;
    return lua.healthOf(key, live as unknown as JsonObject)['status'];
  }

  const application: Application = {
    async sync(files) {
      if (waiting !== undefined) return false;
      await engine.sync(files, { prune: false });
      const isLater = wave || (pruneLast && (await engine.extraneous(files)).length > 0);
      if (isLater) {
        waiting = files;
        last = 'running';
      } else {
        await engine.prune(files, 'plans first');
        last = 'succeeded';
      }
      return true;
    },
    async advance() {
      if (waiting === undefined) return last;
      const healths = await Promise.all(objectsOf(waiting, stage.namespace).map(healthOf));
      if (healths.includes('Degraded')) last = 'failed';
      else if (healths.every((health) => health === 'Healthy')) {
        await engine.prune(waiting, 'plans first');
        last = 'succeeded';
      }
      if (last !== 'running') waiting = undefined;
      return last;
    },
  };
  return application;
}
