import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { fromCwd, isInside, joinPath, shownPath } from '../load/files.ts';
import type { Manifest } from '../load/manifest.ts';
import type { State } from '../load/manifests.ts';

/** A state, and its manifests by the ID of their target. */
interface Laid extends State {
  manifests: ReadonlyMap<string, Pick<Manifest, 'origin'>>;
}

/**
 * An error if head is laid out like a folder of the base, not like the base itself: every target of both states has the path
 * at base that it has at head, below one folder. What the base has besides would look deleted, and plans would not be found.
 */
export function otherLayout(host: CompilerHost, head: Laid, base: Laid): Diagnostic[] {
  if (head.root === base.root || base.given !== undefined) return [];
  const common = [...head.manifests.keys()].filter((id) => base.manifests.has(id));
  const folders = new Set(
    common.map((id) => {
      const here = pathIn(host, head, head.manifests.get(id));
      const there = pathIn(host, base, base.manifests.get(id));
      return here !== undefined && there?.endsWith(`/${here}`) ? there.slice(0, -here.length - 1) : undefined;
    }),
  );
  const [folder] = folders;
  if (folders.size !== 1 || folder === undefined) return [];
  const isBelow = (manifest: Pick<Manifest, 'origin'>): boolean =>
    pathIn(host, base, manifest)?.startsWith(`${folder}/`) === true;
  const whole = joinPath(base.root, folder);
  const plans = joinPath(whole, `./${base.plans.slice(base.root.length)}`);
  const isHarmless = [...base.manifests.values()].every(isBelow) && host.inspect(plans) === undefined;
  if (isHarmless) return [];
  return [
    diagnostic('KR3024', {
      root: shownPath(host, head.root),
      base: shownPath(host, base.root),
      folder: shownPath(host, whole),
    }),
  ];
}

/** Relative to the root of the state; undefined for what is not in it. */
function pathIn(
  host: CompilerHost,
  { root }: State,
  manifest: Pick<Manifest, 'origin'> | undefined,
): string | undefined {
  const path = manifest === undefined ? undefined : fromCwd(host, manifest.origin.source.file);
  return path !== undefined && isInside(path, root) ? path.slice(root.length + 1) : undefined;
}
