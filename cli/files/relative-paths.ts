import type { CompilerHost } from '../../compiler/host.ts';
import { gitRootOf, isInside, relativePath } from '../../compiler/load/files.ts';

/** The same host, which shows paths above the working directory relative to it, as far as they are in its repository. */
export function withRelativePaths<Host extends CompilerHost>(host: Host): Host {
  const root = gitRootOf(host, host.cwd);
  if (root === undefined || root === host.cwd) return host;
  return {
    ...host,
    shown(path) {
      const shown = host.shown?.(path);
      if (shown !== undefined || isInside(path, host.cwd) || !isInside(path, root)) return shown;
      return relativePath(host, path);
    },
  };
}
