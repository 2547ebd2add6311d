import { DotsGl } from "./paint_gl_dots.js";

// Draws frames by WebGL 2: bytes go to the card as they came, colours are looked up there.
const corners = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;

// `scale` is the size of a pixel of the frame in those of the canvas. Between two there is an edge of one pixel of the canvas, so that all
// look of one size whatever the scale. Agents are discs where there is room, else whole pixels.
const colours = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D places, agents, shades;
uniform sampler2D table, kinds;
uniform ivec2 size;
uniform int fine;
uniform vec2 origin, end;
uniform float scale, tall;
uniform bool has_places, has_agents, has_shades, discs;
uniform vec3 ground;
out vec4 colour;

vec3 kind(uint byte, ivec2 pixel) { return texelFetch(kinds, ivec2(has_shades ? int(texelFetch(shades, pixel, 0).r) : 0, int(byte)), 0).rgb; }
vec3 at(ivec2 pixel) {
  ivec2 inside = clamp(pixel, ivec2(0), size - 1);
  vec3 here = has_places ? texelFetch(table, ivec2(int(texelFetch(places, inside, 0).r), 0), 0).rgb : ground;
  uint who = has_agents && !discs && fine == 1 ? texelFetch(agents, inside, 0).r : 0u;
  return who == 0u ? here : kind(who, inside);
}
void main() {
  vec2 canvas = vec2(gl_FragCoord.x, tall - gl_FragCoord.y);
  if (any(lessThan(canvas, origin)) || any(greaterThanEqual(canvas, end))) { colour = vec4(0.0); return; }
  vec2 inside = (canvas - origin) / scale, middle = inside - 0.5, sharp = vec2(max(scale, 1.0));
  vec2 mixed = clamp((fract(middle) - 0.5) * sharp + 0.5, 0.0, 1.0);
  ivec2 first = ivec2(floor(middle));
  vec3 above = mix(at(first), at(first + ivec2(1, 0)), mixed.x), below = mix(at(first + ivec2(0, 1)), at(first + ivec2(1, 1)), mixed.x);
  vec3 here = mix(above, below, mixed.y);
  if (has_agents && (discs || fine > 1)) {
    vec2 finer = inside * float(fine);
    float cell = scale / float(fine);
    ivec2 pixel = min(ivec2(finer), size * fine - 1);
    uint who = texelFetch(agents, pixel, 0).r;
    float radius = discs ? 0.4 * cell : cell, far = length(finer - vec2(pixel) - 0.5) * cell, rim = clamp(cell / 10.0 - 0.4, 0.0, 1.5);
    if (who != 0u) {
      here = mix(here, vec3(0.0), 0.55 * min(rim, 1.0) * clamp(radius + rim + 0.5 - far, 0.0, 1.0));
      here = mix(here, kind(who, pixel), clamp(radius + 0.5 - far, 0.0, 1.0));
    }
  }
  colour = vec4(here, 1.0);
}`;

// Of a processor that acts as a card, which is slower than the canvas.
function isSoftware(gl) {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return /swiftshader|llvmpipe|software|basic render/i.test(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}

export class PaintGl {
  static on(canvas) {
    const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true, alpha: true, antialias: false, depth: true, premultipliedAlpha: true });
    return gl && (!isSoftware(gl) || location.search === "?webgl") ? new PaintGl(canvas, gl) : null;
  }

  constructor(canvas, gl) {
    this.canvas = canvas, this.gl = gl, this.begin();
    canvas.addEventListener("webglcontextlost", event => { event.preventDefault(), this.program = null; });
    canvas.addEventListener("webglcontextrestored", () => { this.begin(), this.restored?.(); });
  }

  begin() {
    const { gl } = this, program = gl.createProgram();
    this.dots = null, this.arrays = gl.createVertexArray();
    for (const [kind, text] of [[gl.VERTEX_SHADER, corners], [gl.FRAGMENT_SHADER, colours]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text), gl.compileShader(shader), gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program), gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1), gl.bindVertexArray(this.arrays);
    this.program = program, this.at = {}, this.textures = {}, this.frame = this.palette = this.kinds = null;
    ["places", "agents", "shades", "table", "kinds"].forEach((name, unit) => {
      const texture = gl.createTexture();
      gl.activeTexture(gl.TEXTURE0 + unit), gl.bindTexture(gl.TEXTURE_2D, texture);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
      this.textures[name] = { unit }, gl.uniform1i(this.uniform(name), unit), this.bytes(name, 1, 1, new Uint8Array(1));
    });
  }
  uniform(name) { return this.at[name] ??= this.gl.getUniformLocation(this.program, name); }

  bytes(name, width, height, data) {
    const { gl } = this, texture = this.textures[name];
    gl.activeTexture(gl.TEXTURE0 + texture.unit);
    if (texture.width === width && texture.height === height)
      return gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RED_INTEGER, gl.UNSIGNED_BYTE, data);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8UI, width, height, 0, gl.RED_INTEGER, gl.UNSIGNED_BYTE, data);
    texture.width = width, texture.height = height;
  }
  row(name, words) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + this.textures[name].unit);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, words.length / 256, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(words.buffer));
  }

  // look: frame, palette (256 words) and kinds (256 of each collection), origin and end on the canvas, scale, discs, ground; dots.
  draw(look) {
    const { gl, canvas } = this, { dots, left, top, right, bottom } = look;
    if (!this.program) return;
    gl.viewport(0, 0, canvas.width, canvas.height), this.clear(look.frame.isVolume ? look.ground : null);
    if (!look.frame.isVolume) this.drawPixels(look);
    if (!dots) return;
    if (!dots.isDeep) gl.enable(gl.SCISSOR_TEST), gl.scissor(left, canvas.height - bottom, Math.max(0, right - left), Math.max(0, bottom - top));
    (this.dots ??= new DotsGl(gl)).draw(dots, look.ratio), gl.disable(gl.SCISSOR_TEST);
  }
  drawPixels({ frame, palette, kinds, left, top, right, bottom, scale, discs, ground }) {
    const { gl, canvas } = this;
    gl.useProgram(this.program), gl.bindVertexArray(this.arrays);
    if (frame !== this.frame) {
      if (frame.places) this.bytes("places", frame.width, frame.height, frame.places);
      if (frame.agents) this.bytes("agents", frame.width * frame.fine, frame.height * frame.fine, frame.agents);
      if (frame.shades) this.bytes("shades", frame.width * frame.fine, frame.height * frame.fine, frame.shades);
    }
    if (palette !== this.palette) this.row("table", palette);
    if (kinds !== this.kinds) this.row("kinds", kinds);
    this.frame = frame, this.palette = palette, this.kinds = kinds;
    gl.uniform2i(this.uniform("size"), frame.width, frame.height), gl.uniform2f(this.uniform("origin"), left, top), gl.uniform2f(this.uniform("end"), right, bottom);
    gl.uniform1i(this.uniform("fine"), frame.fine), gl.uniform1f(this.uniform("scale"), scale), gl.uniform1f(this.uniform("tall"), canvas.height);
    gl.uniform1i(this.uniform("has_places"), +!!frame.places), gl.uniform1i(this.uniform("has_agents"), +!!frame.agents), gl.uniform1i(this.uniform("has_shades"), +!!frame.shades);
    gl.uniform1i(this.uniform("discs"), +discs), gl.uniform3f(this.uniform("ground"), ...ground.map(part => part / 255));
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
  clear(ground) { ground ? this.gl.clearColor(...ground.map(part => part / 255), 1) : this.gl.clearColor(0, 0, 0, 0), this.gl.clear(this.gl.COLOR_BUFFER_BIT | this.gl.DEPTH_BUFFER_BIT); }
}
