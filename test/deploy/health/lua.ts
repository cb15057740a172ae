import { readFileSync } from 'node:fs';
import { Lua } from 'wasmoon-lua5.1';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';

/** The shipped keys of the ConfigMap of Argo CD. */
export const { data: argoConfig } = parse(
  readFileSync(new URL('../../../deploy/argocd/argocd-cm.yaml', import.meta.url), 'utf8'),
) as { data: Record<string, string> };

/** A Lua in which the scripts of Argo CD run. */
export interface Scripts {
  /** What a script returns about `obj`, as JSON: a list has the keys 1, 2 … */
  run(script: string, object: JsonObject): JsonObject;
  /** What the shipped check of a kind says: `apps.kruise.io_CloneSet`. */
  healthOf(kind: string, object: JsonObject): JsonObject;
  close(): void;
}

export async function startLua(): Promise<Scripts> {
  const lua = await Lua.create();
  const run: Scripts['run'] = (script, object) => {
    const encoded = `local function encode(v)
  if type(v) ~= "table" then return type(v) == "string" and string.format("%q", v) or tostring(v) end
  local out = {}
  for k, each in pairs(v) do out[#out + 1] = string.format("%q", tostring(k)) .. ":" .. encode(each) end
  return "{" .. table.concat(out, ",") .. "}"
end
return encode((function(obj) ${script}\nend)(${literal(object)}))`;
    return JSON.parse(lua.doStringSync(encoded) as string) as JsonObject;
  };
  return {
    run,
    healthOf: (kind, object) =>
      run(argoConfig[`resource.customizations.health.${kind}`] ?? 'error("there is no check")', object),
    close: () => lua.global.close(),
  };
}

/** A value as a literal of Lua; Argo CD gives a script no field that is null. */
function literal(value: Json | undefined): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `{ ${value.map(literal).join(', ')} }`;
  if (typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([key, each]) => `[${JSON.stringify(key)}] = ${literal(each)}`)
      .join(', ')} }`;
  return JSON.stringify(value);
}
