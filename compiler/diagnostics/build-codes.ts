import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';
import { firstOf } from './phrases.ts';

/** KR224x: objects that `kruise build` compiles to kinds of Kubernetes. */
export const buildCodes = {
  KR2240: define<{ target: string; to: string; losses: readonly string[] }>({
    title: 'A lossy build under --strict',
    severity: 'error',
    message: ({ target, to, losses }) =>
      `${shorten(target, 300)} as a ${to} loses ${firstOf(losses)}, and --strict allows exact objects alone`,
    help: () => 'remove what is lost from the manifest, or choose as: OpenKruise for it in kruise.yaml',
    about:
      'A rule below build in kruise.yaml chooses this object, though something is lost: docs/reference/build.md has the rows. With ' +
      '--strict nothing is written then.',
    remedy: 'Leave out what is lost, let the object stay as it is, or build without --strict.',
  }),
  KR2241: define<{ target: string; why: string }>({
    title: 'A chosen object that stays',
    severity: 'warning',
    message: ({ target, why }) => `${shorten(target, 300)} stays as it is: ${why}`,
    help: () => 'remove that from the manifest, or from the rule below build in kruise.yaml',
    about:
      'A rule below build in kruise.yaml chooses this object for Kubernetes, and it has something that needs a runtime. It is written as ' +
      'it is. A cluster without a runtime would do nothing for it.',
    remedy: 'Change the manifest, or choose as: OpenKruise, and run the runtime in the clusters that get it.',
  }),
  KR2242: define<{ target: string; built: string; other: string }>({
    title: 'Two objects of one name',
    severity: 'error',
    message: ({ target, built, other }) =>
      `${shorten(target, 300)} becomes the ${built}, which ${shorten(other, 300)} has already`,
    help: () => 'rename one of the two, or choose as: OpenKruise for this one in kruise.yaml',
    about:
      'What is built has another kind than its source. An object of that kind is there under the same name, or another source becomes it, too. ' +
      'Whichever is applied last would win.',
    remedy: 'Rename one of the two, or remove the manifest that is no longer meant to be there.',
  }),
  KR2243: define<{ from: string; field: readonly string[]; target: string; built: string }>({
    title: 'A reference that does not follow',
    severity: 'warning',
    message: ({ from, field, target, built }) =>
      `${shorten(from, 300)} names the ${shorten(target, 300)}, which becomes a ${shorten(built, 300)}, in ${shorten(field.join('.'), 300)}`,
    help: () => 'write the new kind there, or choose as: OpenKruise for what it names in kruise.yaml',
    about:
      'What is built has another kind than its source. References in spec.scaleTargetRef and spec.targetRef follow. Any other field, such ' +
      'as workloadRef of a Rollout or describedObject of a metric, stays as it is written, and names an object that is not there.',
    remedy:
      'Name the new kind, if the controller that reads the field knows it. Otherwise let the object stay as it is.',
  }),
} as const;
