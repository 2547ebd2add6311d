#include <tessera/model.hpp>

struct Cell {
    int m0 = 0; int m1 = 0; int m2 = 0; int m3 = 0; int m4 = 0; int m5 = 0; int m6 = 0; int m7 = 0; int m8 = 0;
    int m9 = 0; int m10 = 0; int m11 = 0; int m12 = 0; int m13 = 0; int m14 = 0; int m15 = 0; int m16 = 0; int m17 = 0;
    int m18 = 0; int m19 = 0; int m20 = 0; int m21 = 0; int m22 = 0; int m23 = 0; int m24 = 0; int m25 = 0; int m26 = 0;
    int m27 = 0; int m28 = 0; int m29 = 0; int m30 = 0; int m31 = 0; int m32 = 0; int m33 = 0; int m34 = 0; int m35 = 0;
    int m36 = 0; int m37 = 0; int m38 = 0; int m39 = 0; int m40 = 0; int m41 = 0; int m42 = 0; int m43 = 0; int m44 = 0;
    int m45 = 0; int m46 = 0; int m47 = 0; int m48 = 0; int m49 = 0; int m50 = 0; int m51 = 0; int m52 = 0; int m53 = 0;
    int m54 = 0; int m55 = 0; int m56 = 0; int m57 = 0; int m58 = 0; int m59 = 0; int m60 = 0; int m61 = 0; int m62 = 0;
    int m63 = 0; int m64 = 0; int m65 = 0; int m66 = 0; int m67 = 0; int m68 = 0; int m69 = 0; int m70 = 0; int m71 = 0;
    int m72 = 0; int m73 = 0; int m74 = 0; int m75 = 0; int m76 = 0; int m77 = 0; int m78 = 0; int m79 = 0; int m80 = 0;
    int m81 = 0; int m82 = 0; int m83 = 0; int m84 = 0; int m85 = 0; int m86 = 0; int m87 = 0; int m88 = 0; int m89 = 0;
    int m90 = 0; int m91 = 0; int m92 = 0; int m93 = 0; int m94 = 0; int m95 = 0; int m96 = 0; int m97 = 0; int m98 = 0;
    int m99 = 0; int m100 = 0; int m101 = 0; int m102 = 0; int m103 = 0; int m104 = 0; int m105 = 0; int m106 = 0;
    int m107 = 0; int m108 = 0; int m109 = 0; int m110 = 0; int m111 = 0; int m112 = 0; int m113 = 0; int m114 = 0;
    int m115 = 0; int m116 = 0; int m117 = 0; int m118 = 0; int m119 = 0; int m120 = 0; int m121 = 0; int m122 = 0;
    int m123 = 0; int m124 = 0; int m125 = 0; int m126 = 0; int m127 = 0; int m128 = 0; int m129 = 0; int m130 = 0;
    int m131 = 0; int m132 = 0; int m133 = 0; int m134 = 0; int m135 = 0; int m136 = 0; int m137 = 0; int m138 = 0;
    int m139 = 0; int m140 = 0; int m141 = 0; int m142 = 0; int m143 = 0; int m144 = 0; int m145 = 0; int m146 = 0;
    int m147 = 0; int m148 = 0; int m149 = 0; int m150 = 0; int m151 = 0; int m152 = 0; int m153 = 0; int m154 = 0;
    int m155 = 0; int m156 = 0; int m157 = 0; int m158 = 0; int m159 = 0; int m160 = 0; int m161 = 0; int m162 = 0;
    int m163 = 0; int m164 = 0; int m165 = 0; int m166 = 0; int m167 = 0; int m168 = 0; int m169 = 0; int m170 = 0;
    int m171 = 0; int m172 = 0; int m173 = 0; int m174 = 0; int m175 = 0; int m176 = 0; int m177 = 0; int m178 = 0;
    int m179 = 0; int m180 = 0; int m181 = 0; int m182 = 0; int m183 = 0; int m184 = 0; int m185 = 0; int m186 = 0;
    int m187 = 0; int m188 = 0; int m189 = 0; int m190 = 0; int m191 = 0; int m192 = 0; int m193 = 0; int m194 = 0;
    int m195 = 0; int m196 = 0; int m197 = 0; int m198 = 0; int m199 = 0; int m200 = 0; int m201 = 0; int m202 = 0;
    int m203 = 0; int m204 = 0; int m205 = 0; int m206 = 0; int m207 = 0; int m208 = 0; int m209 = 0; int m210 = 0;
    int m211 = 0; int m212 = 0; int m213 = 0; int m214 = 0; int m215 = 0; int m216 = 0; int m217 = 0; int m218 = 0;
    int m219 = 0; int m220 = 0; int m221 = 0; int m222 = 0; int m223 = 0; int m224 = 0; int m225 = 0; int m226 = 0;
    int m227 = 0; int m228 = 0; int m229 = 0; int m230 = 0; int m231 = 0; int m232 = 0; int m233 = 0; int m234 = 0;
    int m235 = 0; int m236 = 0; int m237 = 0; int m238 = 0; int m239 = 0; int m240 = 0; int m241 = 0; int m242 = 0;
    int m243 = 0; int m244 = 0; int m245 = 0; int m246 = 0; int m247 = 0; int m248 = 0; int m249 = 0; int m250 = 0;
    int m251 = 0; int m252 = 0; int m253 = 0; int m254 = 0; int m255 = 0; int m256 = 0; int m257 = 0; int m258 = 0;
    int m259 = 0; int m260 = 0; int m261 = 0; int m262 = 0; int m263 = 0; int m264 = 0; int m265 = 0; int m266 = 0;
    int m267 = 0; int m268 = 0; int m269 = 0; int m270 = 0; int m271 = 0; int m272 = 0; int m273 = 0; int m274 = 0;
    int m275 = 0; int m276 = 0; int m277 = 0; int m278 = 0; int m279 = 0; int m280 = 0; int m281 = 0; int m282 = 0;
    int m283 = 0; int m284 = 0; int m285 = 0; int m286 = 0; int m287 = 0; int m288 = 0; int m289 = 0; int m290 = 0;
    int m291 = 0; int m292 = 0; int m293 = 0; int m294 = 0; int m295 = 0; int m296 = 0; int m297 = 0; int m298 = 0;
    int m299 = 0; int m300 = 0; int m301 = 0; int m302 = 0; int m303 = 0; int m304 = 0; int m305 = 0; int m306 = 0;
    int m307 = 0; int m308 = 0; int m309 = 0; int m310 = 0; int m311 = 0; int m312 = 0; int m313 = 0; int m314 = 0;
    int m315 = 0; int m316 = 0; int m317 = 0; int m318 = 0; int m319 = 0; int m320 = 0; int m321 = 0; int m322 = 0;
    int m323 = 0; int m324 = 0; int m325 = 0; int m326 = 0; int m327 = 0; int m328 = 0; int m329 = 0; int m330 = 0;
    int m331 = 0; int m332 = 0; int m333 = 0; int m334 = 0; int m335 = 0; int m336 = 0; int m337 = 0; int m338 = 0;
    int m339 = 0; int m340 = 0; int m341 = 0; int m342 = 0; int m343 = 0; int m344 = 0; int m345 = 0; int m346 = 0;
    int m347 = 0; int m348 = 0; int m349 = 0; int m350 = 0; int m351 = 0; int m352 = 0; int m353 = 0; int m354 = 0;
    int m355 = 0; int m356 = 0;
};
TESSERA_PLACE(Cell,
              m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
              m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43,
              m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63, m64,
              m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85,
              m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105,
              m106, m107, m108, m109, m110, m111, m112, m113, m114, m115, m116, m117, m118, m119, m120, m121, m122,
              m123, m124, m125, m126, m127, m128, m129, m130, m131, m132, m133, m134, m135, m136, m137, m138, m139,
              m140, m141, m142, m143, m144, m145, m146, m147, m148, m149, m150, m151, m152, m153, m154, m155, m156,
              m157, m158, m159, m160, m161, m162, m163, m164, m165, m166, m167, m168, m169, m170, m171, m172, m173,
              m174, m175, m176, m177, m178, m179, m180, m181, m182, m183, m184, m185, m186, m187, m188, m189, m190,
              m191, m192, m193, m194, m195, m196, m197, m198, m199, m200, m201, m202, m203, m204, m205, m206, m207,
              m208, m209, m210, m211, m212, m213, m214, m215, m216, m217, m218, m219, m220, m221, m222, m223, m224,
              m225, m226, m227, m228, m229, m230, m231, m232, m233, m234, m235, m236, m237, m238, m239, m240, m241,
              m242, m243, m244, m245, m246, m247, m248, m249, m250, m251, m252, m253, m254, m255, m256, m257, m258,
              m259, m260, m261, m262, m263, m264, m265, m266, m267, m268, m269, m270, m271, m272, m273, m274, m275,
              m276, m277, m278, m279, m280, m281, m282, m283, m284, m285, m286, m287, m288, m289, m290, m291, m292,
              m293, m294, m295, m296, m297, m298, m299, m300, m301, m302, m303, m304, m305, m306, m307, m308, m309,
              m310, m311, m312, m313, m314, m315, m316, m317, m318, m319, m320, m321, m322, m323, m324, m325, m326,
              m327, m328, m329, m330, m331, m332, m333, m334, m335, m336, m337, m338, m339, m340, m341, m342, m343,
              m344, m345, m346, m347, m348, m349, m350, m351, m352, m353, m354, m355, m356);

TESSERA_CALL(Cell, tick, writes<&Cell::m0>) { self.m0 = 1; }

TESSERA_MODEL(too_many_members, "a broken model");
