import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { equalRevision } from '../../semantics/revision/revisions.ts';

/** The writes to ControllerRevisions that the runtime would make, stored in memory and applied over the real ones. */
export interface ShadowRecord {
  /** The real revisions with the recorded writes. */
  over(real: readonly KubeObject[]): KubeObject[];
  /** Records a create or a patch. A delete is ignored: the other controller deletes its own revisions. */
  apply(action: Action): void;
}

interface Note {
  annotations: JsonObject;
  revision: number | undefined;
}

export function createShadowRecord(): ShadowRecord {
  const created = new Map<string, KubeObject>();
  const notes = new Map<string, Note>();
  /** One object per state: results computed from a revision are cached with the object. */
  const shown = new Map<string, { real: KubeObject; note: Note; object: KubeObject }>();

  function noted(real: KubeObject): KubeObject {
    const { name } = real.metadata;
    const note = notes.get(name);
    if (note === undefined) return real;
    const known = shown.get(name);
    if (known?.real === real && known.note === note) return known.object;
    const { annotations, revision } = note;
    const object = patched(real, { metadata: { annotations }, ...(revision !== undefined && { revision }) });
    shown.set(name, { real, note, object });
    return object;
  }

  return {
    over(real) {
      for (const [name, object] of created) {
        const same = real.find((each) => equalRevision(each, object));
        if (same === undefined) continue;
        // The other controller has created the same revision meanwhile: the notes now apply to that one.
        created.delete(name);
        const note = notes.get(name) ?? { annotations: {}, revision: undefined };
        notes.delete(name);
        const annotations = { ...object.metadata.annotations, ...note.annotations };
        if (Object.keys(annotations).length > 0)
          notes.set(same.metadata.name, { annotations, revision: undefined });
      }
      return [...real, ...created.values()].map(noted);
    },
    apply(action) {
      if (action.do === 'create') {
        const { object } = action;
        const metadata = { ...object.metadata, uid: 'shadow', resourceVersion: '0' };
        created.set(object.metadata.name, { ...object, metadata });
      } else if (action.do === 'patch') {
        const { revision, metadata } = action.body as { revision?: number; metadata?: JsonObject };
        const before = notes.get(action.name);
        notes.set(action.name, {
          annotations: { ...before?.annotations, ...(metadata?.['annotations'] as JsonObject | undefined) },
          revision: revision ?? before?.revision,
        });
      }
    },
  };
}
