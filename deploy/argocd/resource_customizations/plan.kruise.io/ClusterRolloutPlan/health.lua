local hs = { status = "Progressing", message = "waiting for the runtime" }
local s = obj.status
if s == nil or s.observedGeneration ~= obj.metadata.generation then return hs end
hs.message = s.message or s.phase or ""
for _, c in ipairs(s.conditions or {}) do
  if c.type == "Stalled" and c.status == "True" then
    hs.status = "Degraded"
    return hs
  end
  if c.type == "Ready" and c.status == "True" then hs.status = "Healthy" end
end
return hs
