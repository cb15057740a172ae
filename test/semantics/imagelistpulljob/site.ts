import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decideListPull } from '../../../semantics/imagelistpulljob/decide.ts';
import { imageOf } from '../../../semantics/imagepulljob/normalize.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { listPullJob, shownList } from '../../fixtures/list-pull-jobs.ts';

export const NOW = Date.UTC(2026, 0, 1);

/** A list with its jobs, as a server keeps them. Each round carries out what the list decides; a test says how far its jobs are. */
export function site(spec: JsonObject = {}) {
  const base = listPullJob('ahead', spec);
  let target: KubeObject = { ...base, metadata: { ...base.metadata, uid: 'of-ahead' } };
  let children: KubeObject[] = [];
  let now = NOW;
  const log: string[] = [];
  return {
    log,
    takenNames: new Set<string>(),
    get list() {
      return target;
    },
    get children() {
      return children;
    },
    get shown() {
      return shownList(target);
    },
    pass(seconds: number) {
      now += seconds * 1000;
    },
    edit(change: JsonObject) {
      target = { ...target, spec: { ...(target['spec'] as JsonObject), ...change } };
    },
    add(child: KubeObject) {
      children.push(child);
    },
    /** The job of an image is like this, in place of what it was. */
    change(image: string, change: (child: KubeObject) => KubeObject | undefined) {
      children = children.flatMap((each) => (imageOf(each) === image ? (change(each) ?? []) : [each]));
    },
    /** The job of an image, or each, is so far. */
    end(status: JsonObject, image?: string) {
      children = children.map((child) =>
        image === undefined || imageOf(child) === image
          ? { ...child, status: { startTime: timestamp(now), ...status } }
          : child,
      );
    },
    over(desired: number, succeeded: number): JsonObject {
      return { desired, succeeded, failed: desired - succeeded, active: 0, completionTime: timestamp(now) };
    },
    decide(held?: { reason: string; message: string }) {
      const { takenNames } = this;
      const decision = decideListPull({ target, children, takenNames, now }, held);
      target = { ...target, status: { ...decision.status } };
      for (const action of decision.actions) {
        if (action.do === 'create') {
          log.push(`+${imageOf(action.object)}`);
          const { name } = action.object.metadata;
          const metadata = {
            ...action.object.metadata,
            uid: `of-${name}`,
            resourceVersion: '1',
            generation: 1,
          };
          children.push({ ...action.object, metadata });
        } else if (action.do === 'delete' && action.kind === 'Child') {
          const gone = children.find(({ metadata }) => metadata.name === action.name);
          log.push(`-${gone === undefined ? '?' : imageOf(gone)}`);
          children = children.filter((each) => each !== gone);
        }
      }
      return decision;
    },
  };
}
